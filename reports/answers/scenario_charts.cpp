#include "reports/answers/scenario_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/analysis/pairing.h"
#include "reports/answers/format.h"
#include "reports/answers/profile.h"
#include "reports/answers/table.h"
#include "reports/answers/target.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

// Where one cell's phases begin and end, as shares of its profiled step; what no op claims comes last.
std::vector<document::Piece> pieces_of(const report::Profile& profile) {
  std::vector<document::Piece> pieces;
  double from = 0;
  const auto add = [&](double time_ns, int hue, const std::string& name) {
    const double to = from + time_ns / profile.profiled_step_ns;
    if (to > from) pieces.push_back({.from = from, .to = to, .hue = hue, .name = name});
    from = to;
  };
  for (const PhaseTime& phase : phases_of(profile)) add(phase.time_ns, hue_of(phase.phase), phase.name());
  add(std::max(0.0, report::unattributed_ns(profile)), document::kGrey, "unattributed");
  return pieces;
}

// Where a piece of a row is called so.
void add_to_key(const std::string& name, int hue, document::Rows& chart) {
  const bool found = std::ranges::any_of(chart.rows, [&](const document::BarRow& row) {
    return std::ranges::find(row.pieces, name, &document::Piece::name) != row.pieces.end();
  });
  if (found) chart.key.emplace_back(name, hue);
}

double own_bytes(const report::Cell& cell) {
  return static_cast<double>(cell.summary->peak_anonymous_bytes.value_or(0));
}

double peak_bytes(const report::Cell& cell) { return static_cast<double>(cell.summary->peak_resident_bytes); }

}  // namespace

document::Look look_of(document::Hues& hues, const report::Cell& cell) {
  return document::look_of(hues.of(report::parse_implementation(cell.implementation).strategy));
}

MaybeFigure times_figure(const ScenarioTable& table, document::Hues& hues) {
  const std::vector<Row> rows = timed_rows(table);
  if (rows.empty()) return std::nullopt;
  document::Rows chart{.axes = {{.title = "time per step", .text = &format_duration_ns, .logarithmic = true}}};
  const bool ratios = std::ranges::any_of(rows, [](const Row& row) { return row.cell->summary->ratio.has_value(); });
  if (ratios) {
    chart.axes.push_back({.title = "times the baseline's", .text = &format_factor, .logarithmic = true});
  }
  for (const Row& row : rows) {
    const report::Summary& summary = *row.cell->summary;
    document::BarRow bar{.label = row_name(*row.cell),
                         .look = look_of(hues, *row.cell),
                         .measures = {{.value = summary.step_ns.value, .interval = summary.step_ns.interval}},
                         .figure = format_duration_ns(summary.step_ns.value),
                         .set_back = !report::is_ranked(*row.cell)};
    for (const auto& [launch, figure] : analysis::step_by_launch(*row.cell)) bar.dots.push_back(figure);
    if (summary.ratio) {
      const stats::Estimate& ratio = summary.ratio->comparison.ratio;
      bar.measures.push_back({.value = ratio.value, .interval = ratio.interval, .axis = 1});
    }
    chart.rows.push_back(std::move(bar));
  }
  return Figure{.title = "Time per step",
                .sentence = "Lines are 95% intervals, small dots are launches; names in grey are not ranked.",
                .chart = std::move(chart),
                .data = text_table(table.ranked.empty() ? table.unranked : table.ranked),
                .in_text = true};
}

MaybeFigure phases_figure(const ScenarioTable& table) {
  document::Rows chart{.axes = {{.title = "share of the profiled step", .text = &format_percent}}};
  for (const Row& row : timed_rows(table)) {
    if (!row.cell->profile || !(row.cell->profile->profiled_step_ns > 0)) continue;
    chart.rows.push_back({.label = row_name(*row.cell),
                          .pieces = pieces_of(*row.cell->profile),
                          .figure = format_duration_ns(row.cell->profile->profiled_step_ns)});
  }
  if (chart.rows.empty()) return std::nullopt;
  for (const auto& [phase, hue] : kPhases) add_to_key(name_of(phase), hue, chart);
  add_to_key("unattributed", document::kGrey, chart);
  return Figure{.title = "Where a step's time goes",
                .sentence =
                    "Shares of a profiled step by phase; unattributed is what no op claims, as loops, calls and clock "
                    "readings.",
                .chart = std::move(chart)};
}

MaybeFigure memory_figure(const ScenarioTable& table) {
  document::Rows chart{.axes = {{.title = "bytes, from 0", .text = &format_bytes}},
                       .key = {{"its own", 0}, {"shared, as data and libraries", document::kGrey}}};
  for (const Row& row : timed_rows(table)) {
    const double own = own_bytes(*row.cell);
    const double peak = peak_bytes(*row.cell);
    if (peak <= 0) continue;
    chart.rows.push_back({.label = row_name(*row.cell),
                          .pieces = {{.from = 0, .to = own, .hue = 0, .name = "its own"},
                                     {.from = own,
                                      .to = std::max(own, peak),
                                      .hue = document::kGrey,
                                      .name = "shared, as data and libraries"}},
                          .figure = format_bytes(peak)});
  }
  if (chart.rows.empty()) return std::nullopt;
  return Figure{.title = "Memory", .sentence = "Of a process at its peak.", .chart = std::move(chart)};
}

namespace {

// Of the cells with one thread, in the report's order: speed-ups over numbers of threads.
using ThreadCourses = std::vector<std::pair<const report::Cell*, std::map<int, const stats::Estimate*>>>;

ThreadCourses thread_courses_of(const std::vector<ScalingRow>& rows) {
  ThreadCourses courses;
  for (const ScalingRow& row : rows) {
    if (row.single != nullptr) entry_of(courses, row.single)[row.cell->threads] = &row.scaling->speed_up;
  }
  return courses;
}

// What the multiply-adds of so many threads together reached over one thread's.
document::Series team_ceiling(const report::Report& report, report::Dtype dtype, int most) {
  document::Series series{.name = "ceiling", .line = document::Line::guide, .points = {{1, 1}}};
  if (!report.ceilings || !report.ceilings->best || !report.ceilings->teams) return {};
  const double single = report.ceilings->best->fma_gflop_per_second(dtype);
  for (const report::TeamCeilings& team : *report.ceilings->teams) {
    if (single > 0 && team.threads <= most) {
      series.points.push_back({static_cast<double>(team.threads), team.best.fma_gflop_per_second(dtype) / single});
    }
  }
  return series;
}

}  // namespace

MaybeFigure threads_figure(const report::Report& report, const report::ScenarioRecord& scenario,
                           const ScalingWords& scaling, document::Hues& hues) {
  const ThreadCourses courses = thread_courses_of(scaling.rows_of(scenario.key));
  if (courses.empty()) return std::nullopt;
  document::Plane chart{.across = {.title = "threads", .text = &format_number},
                        .up = {.title = "times as fast as with one thread", .text = &format_number}};
  int most = 2;
  for (const auto& [single, speed_ups] : courses) {
    most = std::max(most, speed_ups.rbegin()->first);
    document::Series series{.name = row_name(*single),
                            .look = look_of(hues, *single),
                            .line = document::Line::thin,
                            .marked = true,
                            .points = {{1, 1}}};
    for (const auto& [threads, speed_up] : speed_ups) {
      series.points.push_back({static_cast<double>(threads), speed_up->value, speed_up->interval});
    }
    chart.series.push_back(std::move(series));
  }
  chart.series.push_back({.name = "ideal",
                          .line = document::Line::guide,
                          .points = {{1, 1}, {static_cast<double>(most), static_cast<double>(most)}}});
  document::Series ceiling = team_ceiling(report, scenario.resolved.dtype.value_or(report::Dtype::f32), most);
  if (!ceiling.points.empty()) chart.series.push_back(std::move(ceiling));
  return Figure{.title = kScalingTitle,
                .sentence =
                    "Speed-up over the same with one thread; the ideal is a step shared evenly, the ceiling what the "
                    "multiply-adds of so many threads reached together in this run.",
                .chart = std::move(chart),
                .data = scaling.of_scenario(scenario.key),
                .in_text = true};
}

}  // namespace gdbench::answers
