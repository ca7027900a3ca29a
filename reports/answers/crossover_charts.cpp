#include "reports/answers/crossover_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/attribution.h"
#include "reports/answers/forest.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using document::look_of;
using document::Series;
using report::Crossover;
using report::CrossoverPoint;
using stats::Overtaking;
using stats::Verdict;

constexpr double kStepsBeyond = 100;  // times the crossing are shown
constexpr double kFewestSteps = 1e4;  // that are shown

// Where it is open who is faster: between two winners, or as far as there is none.
struct OpenRange {
  stats::Interval sizes;
  std::string words;
};

std::vector<OpenRange> open_ranges(const Crossover& crossover) {
  const std::vector<stats::Zone>& zones = crossover.answer.zones;
  std::vector<OpenRange> ranges;
  const auto add = [&](const char* what, std::int64_t from, std::int64_t to) {
    ranges.push_back({{static_cast<double>(from), static_cast<double>(to)}, cat(what, ", ", from, " to ", to)});
  };
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const bool is_last = i + 1 == zones.size();
    if (!zones[i].has_winner()) {
      add(zones[i].verdict == Verdict::equivalent ? "equal" : "undecided", i == 0 ? zones[i].first : zones[i - 1].last,
          is_last ? zones[i].last : zones[i + 1].first);
    } else if (!is_last && zones[i + 1].has_winner()) {
      add("crossing", zones[i].last, zones[i + 1].first);
    }
  }
  return ranges;
}

document::Point point_at(const CrossoverPoint& point, const stats::Estimate& estimate) {
  return {static_cast<double>(point.size), estimate.value, estimate.interval};
}

document::Axis sizes_axis(const Crossover& crossover) {
  return {.title = crossover.axis, .text = &format_count, .logarithmic = true};
}

Figure times_figure(const Crossover& crossover) {
  document::Plane plane{.across = sizes_axis(crossover),
                        .up = {.title = "time per step", .text = &format_duration_ns, .logarithmic = true}};
  std::string words;
  for (OpenRange& range : open_ranges(crossover)) {
    join(words, range.words);
    plane.bands.push_back({.range = range.sizes});
    plane.rules.push_back({.at = range.sizes.low, .text = std::move(range.words)});
  }
  Series a{.name = crossover.a, .look = look_of(0), .line = document::Line::thin, .marked = true};
  Series b{.name = crossover.b, .look = look_of(1), .line = document::Line::thin, .marked = true};
  for (const CrossoverPoint& point : crossover.points) {
    a.points.push_back(point_at(point, point.a_step_ns));
    b.points.push_back(point_at(point, point.b_step_ns));
  }
  plane.series = {std::move(a), std::move(b)};
  return {.title = "Time per step over " + crossover.axis,
          .sentence = "Medians over launches with their intervals. " +
                      (words.empty() ? std::string("One winner from end to end.")
                                     : "Bands show where the winner changes or is not known: " + words + "."),
          .chart = std::move(plane)};
}

Figure ratios_figure(const Crossover& crossover) {
  const auto name_of = [&](Verdict verdict) {
    return verdict == Verdict::faster       ? crossover.a + " faster"
           : verdict == Verdict::slower     ? crossover.b + " faster"
           : verdict == Verdict::equivalent ? std::string("equal")
                                            : std::string("undecided");
  };
  document::Plane plane{.across = sizes_axis(crossover),
                        .up = {.title = "ratio", .text = &format_factor, .logarithmic = true},
                        .bands = {{.range = stats::margin_range(crossover.margin), .upright = false}},
                        .rules = {{.at = 1, .upright = false}}};
  for (const auto& [verdict, look] :
       {std::pair(Verdict::faster, look_of(0)), std::pair(Verdict::slower, look_of(1)),
        std::pair(Verdict::equivalent, kAlike), std::pair(Verdict::inconclusive, kOpen)}) {
    Series series{.name = name_of(verdict), .look = look, .line = document::Line::none, .marked = true, .named = false};
    for (const CrossoverPoint& point : crossover.points) {
      if (point.comparison.verdict == verdict) series.points.push_back(point_at(point, point.comparison.ratio));
    }
    if (!series.points.empty()) plane.series.push_back(std::move(series));
  }
  for (const stats::Zone& zone : crossover.answer.zones) {
    plane.rules.push_back({.at = static_cast<double>(zone.first), .text = name_of(zone.verdict)});
  }
  return {.title = cat("Time of ", crossover.a, " over that of ", crossover.b),
          .sentence = cat("Below 1 ", crossover.a, " is faster, above 1 ", crossover.b, "; the band is the margin of ",
                          format_percent(crossover.margin), ", which an interval must leave as a whole for a winner."),
          .chart = std::move(plane)};
}

double most_steps(const stats::BreakEven& answer) {
  double most = kFewestSteps;
  for (const double steps : {answer.steps, answer.interval.low, answer.interval.high}) {
    if (std::isfinite(steps)) most = std::max(most, steps * kStepsBeyond);
  }
  return std::pow(10, std::ceil(std::log10(most)));
}

// One side's sums: what comes before its steady steps, and 1, 2, 5, 10 ... of these.
Series sums_of(const report::StartCost& side, int hue, double most) {
  Series series{.name = side.implementation, .look = look_of(hue)};
  for (double power = 1; power <= most; power *= 10) {
    for (const double factor : {1, 2, 5}) {
      const double steps = factor * power;
      if (steps <= most) series.points.push_back({steps, side.ready_ns + steps * side.step_ns.value});
    }
  }
  return series;
}

}  // namespace

void add_charts(const Crossover& crossover, Blocks& blocks) {
  blocks.figure(times_figure(crossover));
  blocks.figure(ratios_figure(crossover));
}

void add_charts(const report::StepsCrossover& crossover, Blocks& blocks) {
  const double most = most_steps(crossover.answer);
  document::Plane plane{.across = {.title = "steps", .text = &format_count, .logarithmic = true},
                        .up = {.title = "ready + steps", .text = &format_duration_ns, .logarithmic = true}};
  for (int hue = 0; hue < static_cast<int>(crossover.sides.size()); ++hue) {
    plane.series.push_back(sums_of(crossover.sides[static_cast<std::size_t>(hue)], hue, most));
  }
  const stats::BreakEven& answer = crossover.answer;
  const bool crosses = answer.overtaking != Overtaking::from_the_start && answer.overtaking != Overtaking::never;
  if (crosses) {
    const auto inside = [most](double steps) { return std::isfinite(steps) ? std::clamp(steps, 1.0, most) : most; };
    const stats::Interval steps = {inside(answer.interval.low), inside(answer.interval.high)};
    plane.bands = {{.range = steps}};
    plane.rules = {{.at = answer.overtaking == Overtaking::after ? inside(answer.steps) : steps.low,
                    .text = overtaking_words(answer)}};
  }
  blocks.figure(
      {.title = "Time until so many steps are done",
       .sentence = std::string("Ready and so many steady steps, from medians over launches. ") +
                   (crosses ? "The band is the 95% interval of where one has overtaken." : "No crossing is drawn."),
       .chart = std::move(plane)});
}

}  // namespace gdbench::answers
