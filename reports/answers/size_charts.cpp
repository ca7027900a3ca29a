#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "reports/answers/format.h"
#include "reports/answers/report_charts.h"
#include "reports/answers/scenario_charts.h"

namespace gdbench::answers {

namespace {

// An implementation's times, those of the axis' points that it has.
struct SizeSeries {
  const report::Cell* cell;                            // of any point
  std::map<std::size_t, const report::Cell*> cells{};  // by place on the axis
  bool leads = false;                                  // somewhere

  const stats::Estimate& time(std::size_t place) const { return cells.at(place)->summary->step_ns; }
};

// Who is the fastest at a point of the axis; null where nothing has a time.
struct SizeLeader {
  SizeSeries* series = nullptr;
  bool won = false;
};

// Where another one becomes the fastest: between two points of the axis, at either of which a verdict tells the two
// apart.
struct AxisCrossing {
  const SizeSeries* before;
  const SizeSeries* after;
  double value;
  stats::Interval interval;  // cut at the two points
  double time_ns;
};

std::vector<SizeSeries> series_of(const SizeAxis& axis) {
  std::map<std::string, SizeSeries> by_name;
  for (std::size_t i = 0; i < axis.points.size(); ++i) {
    for (const Row& row : axis.points[i].table->ranked) {
      SizeSeries& series = by_name[row_name(*row.cell)];
      series.cell = row.cell;
      series.cells[i] = row.cell;
    }
  }
  std::vector<SizeSeries> all;
  for (auto& [name, series] : by_name) all.push_back(std::move(series));
  return all;
}

std::vector<SizeLeader> leaders_of(std::vector<SizeSeries>& all, const SizeAxis& axis) {
  std::vector<SizeLeader> leaders(axis.points.size());
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    const Ranking& ranking = axis.points[i].table->ranking;
    for (SizeSeries& series : all) {
      const auto own = series.cells.find(i);
      if (own == series.cells.end() || own->second != ranking.fastest) continue;
      series.leads = true;
      leaders[i] = {&series, ranking.won()};
    }
  }
  return leaders;
}

// Where a line between two logarithms of ratios is 0, as a share of the way; cut at its ends.
double zero_of(double first, double second) {
  return first == second ? 0 : std::clamp(first / (first - second), 0.0, 1.0);
}

double between(double first, double second, double share) {
  return std::exp(std::log(first) + share * (std::log(second) - std::log(first)));
}

// Straight lines on logarithmic axes between points i and i + 1, at both of which both have a time. The interval holds
// where those of the ratios at both points do.
AxisCrossing crossing_of(const SizeAxis& axis, std::size_t i, const SizeSeries& before, const SizeSeries& after,
                         const analysis::Comparer& comparer) {
  const double each = stats::confidence_of_each(stats::kConfidence);
  const auto ratio = [&](std::size_t at) {
    return comparer.steps(*before.cells.at(at), *after.cells.at(at)).ratio(each);
  };
  const stats::Estimate first = ratio(i);
  const stats::Estimate second = ratio(i + 1);
  const auto zero = [](double at_first, double at_second) { return zero_of(std::log(at_first), std::log(at_second)); };
  const double low = axis.points[i].value;
  const double high = axis.points[i + 1].value;
  const double share = zero(first.value, second.value);
  const double early = first.interval.low <= 1 ? 0 : zero(first.interval.low, second.interval.low);
  const double late = second.interval.high >= 1 ? 1 : zero(first.interval.high, second.interval.high);
  return {&before,
          &after,
          between(low, high, share),
          {between(low, high, early), between(low, high, late)},
          between(before.time(i).value, before.time(i + 1).value, share)};
}

// Whether verdicts say that one of them is the faster at point i and the other at the next.
bool is_told(const analysis::Comparer& comparer, std::size_t i, const SizeSeries& before, const SizeSeries& after) {
  const auto verdict = [&](std::size_t at) {
    return comparer.compare(*before.cells.at(at), *after.cells.at(at)).verdict;
  };
  return verdict(i) == stats::Verdict::slower && verdict(i + 1) == stats::Verdict::faster;
}

std::vector<AxisCrossing> crossings_of(const SizeAxis& axis, const std::vector<SizeLeader>& leaders,
                                       const analysis::Comparer& comparer) {
  std::vector<AxisCrossing> crossings;
  for (std::size_t i = 0; i + 1 < leaders.size(); ++i) {
    const SizeSeries* before = leaders[i].series;
    const SizeSeries* after = leaders[i + 1].series;
    if (before == nullptr || after == nullptr || before == after) continue;
    if (axis.points[i].value == axis.points[i + 1].value) continue;
    if (!before->cells.contains(i + 1) || !after->cells.contains(i)) continue;
    if (is_told(comparer, i, *before, *after)) crossings.push_back(crossing_of(axis, i, *before, *after, comparer));
  }
  return crossings;
}

std::string words_of(const AxisCrossing& crossing) {
  return format_count(crossing.value) + " [" + format_count(crossing.interval.low) + ", " +
         format_count(crossing.interval.high) + "]";
}

std::string sizes_sentence(const std::vector<SizeSeries>& all, const std::vector<AxisCrossing>& crossings,
                           const std::vector<SizeLeader>& leaders) {
  std::string text;
  for (const AxisCrossing& crossing : crossings) {
    text += row_name(*crossing.after->cell) + " is faster than " + row_name(*crossing.before->cell) + " from " +
            words_of(crossing) + " on. ";
  }
  const auto won = static_cast<std::size_t>(std::ranges::count_if(leaders, &SizeLeader::won));
  const bool one = std::ranges::all_of(
      leaders, [&](const SizeLeader& leader) { return !leader.won || leader.series == leaders.front().series; });
  if (won == leaders.size() && one) {
    text += row_name(*leaders.front().series->cell) + " is the fastest at every size. ";
  } else if (won < leaders.size() && all.size() > 1) {
    text += "Verdicts name a fastest at " + std::to_string(won) + " of " + std::to_string(leaders.size()) + " sizes. ";
  }
  return text +
         "Lines between sizes are interpolated, and a crossing's interval is cut at the sizes around it; grey "
         "lines have the lowest time nowhere.";
}

// A column for each size.
Columns sizes_table(const SizeAxis& axis, const std::vector<SizeSeries>& all) {
  Columns table = {left("implementation")};
  for (const SizeAxis::Point& point : axis.points) {
    table.push_back(right(format_count(point.value)));
  }
  for (const SizeSeries& series : all) {
    std::vector<std::string> texts = {row_name(*series.cell)};
    for (std::size_t i = 0; i < axis.points.size(); ++i) {
      texts.push_back(!series.cells.contains(i)
                          ? "-"
                          : format_duration_ns(series.time(i).value) + " " + format_interval_ns(series.time(i)));
    }
    add_row(table, texts);
  }
  return table;
}

// One thing in parts, where it lacks a size in between.
void add_series(document::Plane& chart, const SizeAxis& axis, const SizeSeries& series, document::Hues& hues) {
  std::size_t last = 0;
  document::Series part{.name = row_name(*series.cell),
                        .look = series.leads ? look_of(hues, *series.cell) : document::look_of(document::kGrey),
                        .marked = series.leads,
                        .named = false};
  for (const auto& [place, cell] : series.cells) {
    if (!part.points.empty() && place != last + 1) {
      chart.series.push_back(part);
      part.points.clear();
    }
    const stats::Estimate& time = cell->summary->step_ns;
    document::Point point{axis.points[place].value, time.value};
    if (series.leads) point.interval = time.interval;
    part.points.push_back(point);
    last = place;
  }
  part.named = series.leads && last + 1 == axis.points.size();
  chart.series.push_back(std::move(part));
}

}  // namespace

Figures times_over_sizes(const report::Report& report, const std::vector<ScenarioTable>& tables, document::Hues& hues) {
  const analysis::Comparer comparer(report);
  Figures figures;
  for (const SizeAxis& axis : axes_of(tables)) {
    std::vector<SizeSeries> all = series_of(axis);
    if (all.empty()) continue;
    const std::vector<SizeLeader> leaders = leaders_of(all, axis);
    const std::vector<AxisCrossing> crossings = crossings_of(axis, leaders, comparer);
    document::Plane chart{.across = {.title = axis.quantity, .text = &format_count, .logarithmic = true},
                          .up = {.title = "time per step", .text = &format_duration_ns, .logarithmic = true}};
    for (const SizeSeries& series : all) add_series(chart, axis, series, hues);
    for (const AxisCrossing& crossing : crossings) {
      chart.bands.push_back({.range = crossing.interval});
      chart.notes.push_back(
          {crossing.value, crossing.time_ns, format_count(crossing.value), look_of(hues, *crossing.after->cell)});
    }
    figures.push_back({.title = "Time over " + axis.quantity + (axis.rest.empty() ? "" : ", " + axis.rest),
                       .sentence = sizes_sentence(all, crossings, leaders),
                       .chart = std::move(chart),
                       .data = sizes_table(axis, all)});
  }
  return figures;
}

}  // namespace gdbench::answers
