#include "harness/questions/history/history.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "harness/base/text.h"
#include "harness/stats/change_points.h"
#include "harness/stats/distributions.h"

namespace gdbench::history {

namespace {

using report::History;
using report::HistoryCell;
using report::HistoryPoint;
using report::HistorySegment;
using Reports = std::vector<MeasuredReport>;

// Times of UTC in one form are in order as texts. Commits of one moment, as a rebase makes them, are in the order of
// their first runs. Where a report does not know when its revision was committed, first runs count for all: the two
// times cannot be compared.
void sort_by_time(Reports& reports) {
  struct Place {
    std::string time;
    std::string first_run;
    auto operator<=>(const Place&) const = default;
  };
  const bool is_known =
      std::ranges::none_of(reports, [](const MeasuredReport& report) { return report.source.committed_at.empty(); });
  std::map<std::string, Place> places;  // of revisions
  for (const MeasuredReport& report : reports) {
    const report::HistoryReport& source = report.source;
    const std::string& time = is_known ? source.committed_at : source.started_at;
    Place& place = places.try_emplace(source.revision, Place{time, source.started_at}).first->second;
    place = {std::min(place.time, time), std::min(place.first_run, source.started_at)};
  }
  std::ranges::stable_sort(reports, {}, [&](const MeasuredReport& report) {
    return std::tuple(places.at(report.source.revision), report.source.revision, report.source.started_at);
  });
}

// Reports of one machine, in their order; the machine with most of them first.
std::vector<Reports> by_machine(Reports reports) {
  std::vector<Reports> machines = compare::by_machine(
      std::move(reports), [](const MeasuredReport& report) -> auto& { return report.environment; });
  std::ranges::stable_sort(machines, std::greater(), [](const Reports& machine) {
    return std::pair(machine.size(), machine.back().source.started_at);
  });
  return machines;
}

std::vector<double> logarithms_of(std::span<const HistoryPoint> points) {
  std::vector<double> values;
  for (const HistoryPoint& point : points) values.push_back(std::log(point.step_ns.value));
  return values;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// One observation for each report.
std::vector<stats::Observation> observations_of(std::span<const HistoryPoint> points) {
  std::vector<stats::Observation> observations;
  for (const HistoryPoint& point : points) observations.push_back({point.report, point.step_ns.value});
  return observations;
}

int launches_of(std::span<const HistoryPoint> points) {
  return std::accumulate(points.begin(), points.end(), 0,
                         [](int sum, const HistoryPoint& point) { return sum + point.step_ns.launches; });
}

// Reports stood for launches in an estimate; this gives it the launches that it rests on.
stats::Estimate with_launches(stats::Estimate estimate, int launches) {
  estimate.launches = launches;
  estimate.within_one_process = launches == 1;
  return estimate;
}

stats::Estimate level_of(std::span<const HistoryPoint> points) {
  if (points.size() == 1) return points.front().step_ns;
  return with_launches(stats::typical_time(observations_of(points)), launches_of(points));
}

// A cell under judgement: its points before the newest revision in levels, and those of the newest.
struct Series {
  HistoryCell cell;
  std::vector<std::span<const HistoryPoint>> levels{};
  std::span<const HistoryPoint> newest{};
  stats::VerdictOptions rules{};  // what the controls of the newest revision's reports allow
};

void add(const MeasuredCell& measured, int report, bool is_newest, Series& series) {
  if (measured.step_ns) series.cell.points.push_back({report, *measured.step_ns});
  if (!is_newest) return;
  if (!measured.step_ns) series.cell.remark = report::words_of(measured.status);
  series.rules.noise_floor = std::max(series.rules.noise_floor, measured.noise_floor);
  if (series.rules.unfit.empty()) series.rules.unfit = measured.unfit;
}

// Of every cell that has a time in some report, those of the newest report first.
std::vector<Series> series_of(const Reports& reports, int first_of_newest) {
  std::vector<Series> all;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> numbers;  // by id, scenario and data
  std::set<std::string> newest_ids;
  for (int i = static_cast<int>(reports.size()) - 1; i >= 0; --i) {
    const bool is_newest = i >= first_of_newest;
    for (const MeasuredCell& cell : reports[static_cast<std::size_t>(i)].cells) {
      const auto [number, is_new] = numbers.emplace(std::tuple(cell.id, cell.scenario, cell.data_digest), all.size());
      if (is_new) {
        HistoryCell& added = all.emplace_back().cell;
        added.id = cell.id;
        added.scenario = cell.scenario;
        added.label = cell.label;
      }
      if (is_newest) newest_ids.insert(cell.id);
      add(cell, i, is_newest, all[number->second]);
    }
  }
  std::erase_if(all, [](const Series& series) { return series.cell.points.empty(); });
  for (Series& series : all) {
    HistoryCell& cell = series.cell;
    std::ranges::reverse(cell.points);
    if (cell.points.back().report >= first_of_newest) {
      cell.remark.clear();
    } else if (cell.remark.empty()) {
      cell.remark =
          newest_ids.contains(cell.id) ? "the scenario or its data are not the same any more" : "not in its report";
    }
  }
  return all;
}

void divide(int first_of_newest, double significance, Series& series) {
  const std::span<const HistoryPoint> points(series.cell.points);
  const auto older = static_cast<std::size_t>(
      std::ranges::count_if(points, [&](const HistoryPoint& point) { return point.report < first_of_newest; }));
  series.newest = points.subspan(older);
  if (older == 0) return;
  std::vector<std::size_t> ends =
      stats::change_points(logarithms_of(points.first(older)), {.significance = significance});
  ends.push_back(older);
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    series.levels.push_back(points.subspan(first, end - first));
    first = end;
  }
}

HistorySegment segment_of(std::span<const HistoryPoint> level) {
  return {level.front().report, level.back().report, static_cast<int>(level.size()), level_of(level)};
}

report::HistoryChange change_between(std::span<const HistoryPoint> before, std::span<const HistoryPoint> after,
                                     const Reports& reports, double margin) {
  const auto at = [&](const HistoryPoint& point) -> const MeasuredReport& {
    return reports[static_cast<std::size_t>(point.report)];
  };
  const MeasuredReport& last = at(before.back());
  const MeasuredReport& first = at(after.front());
  const stats::Estimate ratio = with_launches(stats::unpaired_ratio(observations_of(before), observations_of(after)),
                                              std::min(launches_of(before), launches_of(after)));
  return {before.back().report,
          after.front().report,
          last.source.revision,
          first.source.revision,
          stats::compare_ratio(ratio, {.margin = margin}),
          compare::first_difference(compare::kBuild, last.environment, first.environment)};
}

// How far logarithms of times scatter around their level, over all levels.
struct Scatter {
  double deviation = 0;
  int degrees_of_freedom = 0;  // 0: nothing is known

  // How far a single value may lie from a level that is known exactly.
  double reach(double confidence) const {
    if (degrees_of_freedom == 0) return 0;
    return stats::student_quantile((1 + confidence) / 2, degrees_of_freedom) * deviation;
  }
};

Scatter scatter_of(const std::vector<std::span<const HistoryPoint>>& levels) {
  double squares = 0;
  Scatter scatter;
  for (const std::span<const HistoryPoint> level : levels) {
    const std::vector<double> values = logarithms_of(level);
    const double center = mean(values);
    for (const double value : values) squares += (value - center) * (value - center);
    scatter.degrees_of_freedom += static_cast<int>(level.size()) - 1;
  }
  if (scatter.degrees_of_freedom > 0) scatter.deviation = std::sqrt(squares / scatter.degrees_of_freedom);
  return scatter;
}

double median_launches(std::span<const HistoryPoint> points) {
  std::vector<double> launches;
  for (const HistoryPoint& point : points) launches.push_back(point.step_ns.launches);
  return stats::median(std::move(launches));
}

// Of the newest revision to the level before it, with an interval that spans those of all its reports.
stats::Estimate ratio_of_newest(const Series& series, double reach) {
  const std::span<const HistoryPoint> level = series.levels.back();
  const double center = mean(logarithms_of(level));
  const auto count = static_cast<double>(level.size());
  const std::vector<double> values = logarithms_of(series.newest);
  stats::Estimate ratio;
  ratio.value = std::exp(mean(values) - center);
  ratio.interval = {ratio.value, ratio.value};
  if (reach > 0) ratio.method = stats::IntervalMethod::student;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double fewer_launches = std::max(1.0, median_launches(level) / series.newest[i].step_ns.launches);
    const double reach_of_report = reach * std::sqrt(1 / count + fewer_launches);
    ratio.interval.low = std::min(ratio.interval.low, std::exp(values[i] - center - reach_of_report));
    ratio.interval.high = std::max(ratio.interval.high, std::exp(values[i] - center + reach_of_report));
  }
  return with_launches(ratio, std::min(launches_of(level), launches_of(series.newest)));
}

stats::Comparison compare_newest(const Series& series, stats::VerdictOptions options) {
  const Scatter scatter = scatter_of(series.levels);
  if (scatter.degrees_of_freedom == 0) {
    options.unfit = "one report before it does not tell how far reports of one level are from each other";
  }
  return stats::compare_ratio(ratio_of_newest(series, scatter.reach(options.confidence)), options);
}

// Judges the newest revision in all cells that it shares with those before it, as one family.
void judge_newest(const HistoryOptions& options, std::vector<Series>& all) {
  std::vector<Series*> judged;
  for (Series& series : all) {
    if (series.newest.empty()) continue;
    report::HistoryNewest& newest = series.cell.newest.emplace();
    for (const HistoryPoint& point : series.newest) newest.reports.push_back(point.report);
    newest.step_ns = level_of(series.newest);
    if (!series.levels.empty()) judged.push_back(&series);
  }
  const std::vector<stats::Comparison> comparisons =
      stats::compare_family(judged.size(), options.confidence, [&](std::size_t i, double confidence) {
        stats::VerdictOptions rules = judged[i]->rules;
        rules.margin = options.margin;
        rules.confidence = confidence;
        return compare_newest(*judged[i], rules);
      });
  for (std::size_t i = 0; i < judged.size(); ++i) judged[i]->cell.newest->comparison = comparisons[i];
}

// Of the machines other than the history's.
std::vector<report::SeparatedMachine> separated(const std::vector<Reports>& machines) {
  std::vector<report::SeparatedMachine> others;
  for (const Reports& machine : std::span(machines).subspan(1)) {
    report::SeparatedMachine& other = others.emplace_back();
    other.machine = machine.front().machine;
    other.difference =
        compare::first_difference(compare::kMachine, machines.front().front().environment, machine.front().environment);
    for (const MeasuredReport& report : machine) other.files.push_back(report.source.file);
  }
  return others;
}

}  // namespace

report::History history_of(ReadReports read, const HistoryOptions& options) {
  sort_by_time(read.reports);
  const std::vector<Reports> machines = by_machine(std::move(read.reports));
  const Reports& reports = machines.front();
  History history;
  history.machine = reports.front().machine;
  history.revision = reports.back().source.revision;
  history.margin = options.margin;
  history.significance = options.significance;
  history.level_confidence = stats::kConfidence;
  history.confidence = options.confidence;
  history.separated = separated(machines);
  history.notes = std::move(read.notes);
  for (const MeasuredReport& report : reports) history.reports.push_back(report.source);

  const auto first_of_newest = static_cast<int>(std::ranges::count_if(
      reports, [&](const MeasuredReport& report) { return report.source.revision != history.revision; }));
  std::vector<Series> all = series_of(reports, first_of_newest);
  for (Series& series : all) {
    divide(first_of_newest, options.significance, series);
    for (std::size_t i = 0; i < series.levels.size(); ++i) {
      series.cell.segments.push_back(segment_of(series.levels[i]));
      if (i == 0) continue;
      series.cell.changes.push_back(change_between(series.levels[i - 1], series.levels[i], reports, options.margin));
    }
  }
  judge_newest(options, all);
  for (Series& series : all) history.cells.push_back(std::move(series.cell));
  return history;
}

}  // namespace gdbench::history
