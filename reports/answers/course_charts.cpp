#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "harness/analysis/pairing.h"
#include "reports/answers/format.h"
#include "reports/answers/scenario_charts.h"
#include "reports/answers/target.h"

namespace gdbench::answers {

namespace {

// What n steps take: ready_ns + n * step_ns.
struct ResultCurve {
  const report::Cell* cell;
  double ready_ns;
  double step_ns;

  double at(double steps) const { return ready_ns + steps * step_ns; }
};

// A part of the axis and whose curve is lowest there.
struct Lead {
  const ResultCurve* curve;
  double from;  // steps
};

// The lower envelope from one step on: of curves that are ahead the one that the others meet next.
std::vector<Lead> leads_of(const std::vector<ResultCurve>& curves) {
  const auto first = std::ranges::min_element(curves, {}, [](const ResultCurve& curve) { return curve.at(1); });
  std::vector<Lead> leads = {{&*first, 1}};
  while (true) {
    const ResultCurve& leader = *leads.back().curve;
    const ResultCurve* next = nullptr;
    double nearest = std::numeric_limits<double>::infinity();
    for (const ResultCurve& curve : curves) {
      if (curve.step_ns >= leader.step_ns) continue;
      const double meets = (curve.ready_ns - leader.ready_ns) / (leader.step_ns - curve.step_ns);
      if (meets >= leads.back().from && meets < nearest) {
        nearest = meets;
        next = &curve;
      }
    }
    if (next == nullptr) return leads;
    leads.push_back({next, nearest});
  }
}

// On logarithmic axes a curve is a straight line but for so many decades around its bend, to a fifth of a pixel.
std::vector<document::Point> points_of(const ResultCurve& curve, double most) {
  constexpr double kPointsOfDecade = 4;
  constexpr double kBend = 2;
  const int count = static_cast<int>(std::log10(most) * kPointsOfDecade);
  const double bend = std::log10(curve.ready_ns / curve.step_ns);
  std::vector<document::Point> points;
  for (int i = 0; i <= count; ++i) {
    const bool is_end = i == 0 || i == count;
    if (!is_end && std::abs(i / kPointsOfDecade - bend) > kBend) continue;
    const double steps = std::pow(10, i / kPointsOfDecade);
    points.push_back({steps, curve.at(steps)});
  }
  return points;
}

std::string sentence_of(const std::vector<Lead>& leads) {
  std::string text;
  for (const Lead& lead : leads) {
    const std::string name = row_name(*lead.curve->cell);
    text += text.empty() ? "By medians, " + name + " has its result first"
                         : ", " + name + " from " + format_count(lead.from) + " steps on";
  }
  return text + ". Grey curves are first nowhere.";
}

}  // namespace

MaybeFigure curves_figure(const ScenarioTable& table, document::Hues& hues) {
  std::vector<ResultCurve> curves;
  for (const Row& row : table.ranked) {
    const report::Summary& summary = *row.cell->summary;
    if (summary.ready_ns) curves.push_back({row.cell, *summary.ready_ns, summary.step_ns.value});
  }
  const auto takes_time = [](const ResultCurve& curve) { return curve.at(1) > 0; };
  if (curves.empty() || !std::ranges::all_of(curves, takes_time)) return std::nullopt;
  const std::vector<Lead> leads = leads_of(curves);
  // Two decades beyond the last crossing.
  const double most = std::pow(10, std::ceil(std::log10(std::max(1e4, leads.back().from * 100))));
  document::Plane chart{.across = {.title = "steps", .text = &format_count, .logarithmic = true},
                        .up = {.title = "ready + steps", .text = &format_duration_ns, .logarithmic = true}};
  Columns data = {left("implementation"), right("ready"), right("time/step"), right("first from step")};
  for (const ResultCurve& curve : curves) {
    const auto lead = std::ranges::find(leads, &curve, &Lead::curve);
    const bool leads_somewhere = lead != leads.end();
    add_row(data, {row_name(*curve.cell), format_duration_ns(curve.ready_ns), format_duration_ns(curve.step_ns),
                   leads_somewhere ? format_count(lead->from) : "-"});
    chart.series.push_back({.name = row_name(*curve.cell),
                            .look = leads_somewhere ? look_of(hues, *curve.cell) : document::look_of(document::kGrey),
                            .named = leads_somewhere,
                            .points = points_of(curve, most)});
  }
  for (std::size_t i = 1; i < leads.size(); ++i) {
    chart.notes.push_back({leads[i].from, leads[i].curve->at(leads[i].from), "from " + format_count(leads[i].from),
                           look_of(hues, *leads[i].curve->cell)});
  }
  return Figure{
      .title = "Time to result", .sentence = sentence_of(leads), .chart = std::move(chart), .data = std::move(data)};
}

MaybeFigure target_figure(const ScenarioTable& table, document::Hues& hues) {
  document::Plane chart{
      .across = {.title = "time since the start of loading", .text = &format_duration_ns, .logarithmic = true},
      .up = {.title = "loss", .text = &format_number, .logarithmic = true},
      .keyed = true};
  for (const Row& row : table.ranked) {
    const report::Cell& cell = *row.cell;
    if (!cell.target || !cell.summary->to_target) continue;
    const report::TargetRun& target = *cell.target;
    const double end = cell.summary->to_target->time_ns.value;
    const double ready = cell.summary->to_target->ready_ns.value_or(0);
    if (!(end > 0) || !(target.initial_loss > 0) || !(target.loss > 0) || !std::isfinite(target.loss)) continue;
    document::Series series{
        .name = row_name(cell), .look = look_of(hues, cell), .points = {{std::max(ready, 1.0), target.initial_loss}}};
    // At the pace of a steady step.
    for (const report::LossPoint& point : target.curve.value_or(std::vector<report::LossPoint>())) {
      if (point.steps == 0 || point.steps >= target.steps || !(point.loss > 0)) continue;
      series.points.push_back({ready + static_cast<double>(point.steps) * cell.summary->step_ns.value, point.loss});
    }
    series.points.push_back({end, target.target_loss});
    chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return std::nullopt;
  return Figure{.title = target_title(table),
                .sentence = "The loss at evaluations; straight to the target where nothing is known in between.",
                .chart = std::move(chart),
                .data = target_table(table),
                .in_text = true};
}

namespace {

constexpr double kLeastShown = 0.9;  // of a cell's median: what is shown
constexpr double kMostShown = 1.3;
// More rounds than these are shown as launches, and more launches by every second, third ... of them.
constexpr std::size_t kMostMoments = 150;

// A launch of a scenario's cells is made side by side, a round after the other: their numbers are the order.
struct Moment {
  int launch;
  int round;  // 0 of a whole launch
  auto operator<=>(const Moment&) const = default;
};

struct SampleCourse {
  const report::Cell* cell;
  double median = 0;               // of warm blocks
  std::map<Moment, double> times;  // of blocks, or the least of each launch
};

SampleCourse course_of(const report::Cell& cell, bool launches) {
  SampleCourse course{.cell = &cell, .times = {}};
  std::vector<double> warm;
  for (const report::Sample& sample : cell.samples) {
    if (sample.cold) continue;
    warm.push_back(sample.real_ns);
    if (!launches) course.times[{sample.launch, sample.round}] = sample.real_ns;
  }
  if (launches) {
    for (const auto& [launch, figure] : analysis::step_by_launch(cell)) course.times[{launch, 0}] = figure;
  }
  course.median = stats::median(std::move(warm));
  return course;
}

}  // namespace

MaybeFigure samples_figure(const ScenarioTable& table, document::Hues& hues) {
  const std::vector<Row> rows = timed_rows(table);
  std::set<Moment> rounds;
  for (const Row& row : rows) {
    for (const report::Sample& sample : row.cell->samples) rounds.insert({sample.launch, sample.round});
  }
  const bool launches = rounds.size() > kMostMoments;
  std::vector<SampleCourse> courses;
  std::map<Moment, std::size_t> order;
  for (const Row& row : rows) {
    courses.push_back(course_of(*row.cell, launches));
    for (const auto& [moment, time] : courses.back().times) order.emplace(moment, 0);
  }
  if (order.empty()) return std::nullopt;
  std::size_t count = 0;
  for (auto& [moment, place] : order) place = count++;
  const std::size_t every = order.size() / kMostMoments + 1;
  const auto number = [](double place) { return format_number(std::floor(place) + 1); };
  document::Plane chart{
      .across = {.title = launches ? "launches" : "rounds, launch after launch", .text = number},
      .up = {.title = "times the median", .text = &format_factor, .ends = stats::Interval{kLeastShown, kMostShown}}};
  Columns data = {left("implementation"), right("median"), left("times it")};
  for (const SampleCourse& course : courses) {
    if (course.times.empty()) continue;
    document::Series series{.name = row_name(*course.cell),
                            .look = look_of(hues, *course.cell),
                            .line = document::Line::thin,
                            .named = false};
    std::string times;
    for (const auto& [moment, time] : course.times) {
      if (order.at(moment) % every != 0) continue;
      series.points.push_back({static_cast<double>(order.at(moment)), time / course.median});
      times += (times.empty() ? "" : moment.round == 1 ? " | " : " ") + format_number(time / course.median);
    }
    add_row(data, {series.name, format_duration_ns(course.median), times});
    chart.series.push_back(std::move(series));
  }
  // Where launches begin.
  for (const auto& [moment, place] : order) {
    if (!launches && moment.round == 1 && place > 0) {
      chart.rules.push_back({.at = static_cast<double>(place) - 0.5, .text = ""});
    }
  }
  return Figure{.title = launches ? "Launches in the order of measuring" : "Blocks in the order of measuring",
                .sentence = std::string(launches ? "The least block of a launch" : "A block's time") +
                            " over its cell's median, cut at 0.9 and 1.3, a line per cell: what rises in all cells at "
                            "once is the machine." +
                            (launches ? "" : " Upright lines part launches."),
                .chart = std::move(chart),
                .data = std::move(data)};
}

}  // namespace gdbench::answers
