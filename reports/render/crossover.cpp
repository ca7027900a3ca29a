#include "reports/render/crossover.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reports/render/format.h"
#include "reports/render/render.h"
#include "reports/render/text_table.h"

namespace gdbench::render {

namespace {

using result::Crossover;
using result::CrossoverPoint;
using result::StepsCrossover;
using stats::Verdict;

std::string time_text(const stats::Estimate& estimate) {
  return format_duration_ns(estimate.value) + " " + format_half_width(estimate);
}

std::string winner(const Crossover& crossover, const CrossoverPoint& point) {
  switch (point.comparison.verdict) {
    case Verdict::faster:
      return crossover.a;
    case Verdict::slower:
      return crossover.b;
    case Verdict::equivalent:
      return "equal";
    case Verdict::inconclusive:
      return "undecided";
  }
  return "?";
}

std::string table_of(const Crossover& crossover) {
  std::vector<std::vector<std::string>> rows;
  for (const CrossoverPoint& point : crossover.points) {
    const stats::Comparison& comparison = point.comparison;
    rows.push_back({std::to_string(point.size), time_text(point.a_step_ns), time_text(point.b_step_ns),
                    format_ratio(comparison.ratio), std::to_string(comparison.ratio.launches),
                    winner(crossover, point)});
  }
  return text_table({{crossover.axis, true},
                     {crossover.a, true},
                     {crossover.b, true},
                     {"ratio", false},
                     {"launches", true},
                     {"faster", false}},
                    rows);
}

std::string at(const Crossover& crossover, std::int64_t size) { return crossover.axis + "=" + std::to_string(size); }

std::string range_of(const Crossover& crossover) {
  return "from " + at(crossover, crossover.points.front().size) + " to " + std::to_string(crossover.points.back().size);
}

std::size_t count_of(const Crossover& crossover, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(crossover.points.begin(), crossover.points.end(),
                    [verdict](const CrossoverPoint& point) { return point.comparison.verdict == verdict; }));
}

std::string crossing_words(const Crossover& crossover) {
  const stats::Crossing& crossing = crossover.answer.crossing;
  const std::string& above = crossing.a_faster_above ? crossover.a : crossover.b;
  const std::string& below = crossing.a_faster_above ? crossover.b : crossover.a;
  return above + " is faster than " + below + " from about " + at(crossover, std::llround(crossover.answer.estimate)) +
         " on: " + below + " is certainly faster at " + std::to_string(crossing.low) + ", " + above + " at " +
         std::to_string(crossing.high) + ".\n";
}

std::string other_crossings_words(const Crossover& crossover) {
  std::string text;
  for (const stats::Crossing& other : crossover.answer.others) {
    text += (text.empty() ? "" : ", ") + std::string("between ") + std::to_string(other.low) + " and " +
            std::to_string(other.high) + " to " + (other.a_faster_above ? crossover.a : crossover.b);
  }
  if (text.empty()) return "";
  return "Warning: the order is not monotone. It also flips " + text + "; only the first crossing was narrowed down.\n";
}

std::string no_crossing_words(const Crossover& crossover) {
  const std::size_t equal = count_of(crossover, Verdict::equivalent);
  const std::size_t undecided = count_of(crossover, Verdict::inconclusive);
  const bool a_wins = count_of(crossover, Verdict::faster) > 0;
  const std::size_t wins = count_of(crossover, a_wins ? Verdict::faster : Verdict::slower);
  const std::string margin = format_percent(crossover.margin);
  std::string text = "No crossing: ";
  if (wins == 0) {
    text += crossover.a + " and " + crossover.b + " are within " + margin + " of each other at every size measured";
  } else {
    text += (a_wins ? crossover.a : crossover.b) + " is " +
            (equal > 0       ? "never slower"
             : undecided > 0 ? "faster"
                             : "faster at every size measured");
  }
  text += " " + range_of(crossover);
  if (wins > 0 && equal > 0)
    text += " (faster at " + counted(wins, "size") + ", equal at " + std::to_string(equal) + ")";
  if (undecided > 0) text += "; " + counted(undecided, "size") + " in between could not be decided";
  return text + ".\n";
}

std::string undecided_words(const Crossover& crossover) {
  std::string text;
  for (const CrossoverPoint& point : crossover.points) {
    if (point.comparison.verdict != Verdict::inconclusive) continue;
    text += "  " + at(crossover, point.size) + ": " + point.comparison.remark + "\n";
  }
  return "Cannot be decided whether there is a crossing" +
         (crossover.points.empty() ? std::string(": nothing was measured.\n") : ":\n" + text);
}

std::string answer_words(const Crossover& crossover) {
  switch (crossover.answer.outcome) {
    case stats::CrossoverOutcome::crossing:
      return crossing_words(crossover) + other_crossings_words(crossover);
    case stats::CrossoverOutcome::none:
      return no_crossing_words(crossover);
    case stats::CrossoverOutcome::undecided:
      return undecided_words(crossover);
  }
  return "";
}

std::string steps_text(double steps) {
  return std::isfinite(steps) ? std::to_string(std::llround(steps)) : std::string("never");
}

std::string interval_text(const stats::Interval& interval) {
  return "[" + steps_text(interval.low) + ", " + steps_text(interval.high) + "]";
}

std::string answer_words(const StepsCrossover& crossover) {
  const std::string& ahead = crossover.sides[crossover.faster].implementation;
  const std::string& other = crossover.sides[1 - crossover.faster].implementation;
  const stats::BreakEven& answer = crossover.answer;
  switch (answer.overtaking) {
    case stats::Overtaking::from_the_start:
      return ahead + " is ahead of " + other + " from the start: it is ready sooner and its step takes less.\n";
    case stats::Overtaking::after:
      return other + " is ready sooner; " + ahead + " has overtaken it from about " + steps_text(answer.steps) +
             " steps on " + interval_text(answer.interval) + ".\n";
    case stats::Overtaking::never:
      return ahead + " never overtakes " + other + ": it is ready later and its step takes no less.\n";
    case stats::Overtaking::at_latest:
      return ahead + " has overtaken " + other + " after at most " + steps_text(answer.interval.high) +
             " steps (its step takes less); which of them is ready sooner these launches do not tell.\n";
    case stats::Overtaking::at_earliest:
      return other + " is ready sooner; " + ahead + " overtakes it after at least " + steps_text(answer.interval.low) +
             " steps, if ever: which step takes less these launches do not tell beyond the margin.\n";
    case stats::Overtaking::undecided:
      return "Cannot be decided from " + counted(static_cast<std::size_t>(answer.launches), "launch") +
             " from how many steps on " + ahead + " has overtaken " + other + ": the interval is " +
             interval_text(answer.interval) + ".\n";
  }
  return "";
}

}  // namespace

std::string crossover_table(const Crossover& crossover) {
  std::string text = crossover.scenario + "\n" + table_of(crossover) + "\n" + answer_words(crossover);
  if (!crossover.complete) text += "Stopped before the search was done: more time narrows it down.\n";
  return text + "\nratio: time of a step, " + crossover.a + " over " + crossover.b + ", median with " +
         format_number(100 * crossover.confidence) + "% interval over launches; equal: within " +
         format_percent(crossover.margin) + ".\n";
}

std::string crossover_table(const StepsCrossover& crossover) {
  std::vector<std::vector<std::string>> rows;
  for (const result::StartCost& side : crossover.sides) {
    rows.push_back({side.implementation, format_duration_ns(side.load_seconds * 1e9),
                    format_duration_ns(side.prepare_seconds * 1e9), format_duration_ns(side.first_step_ns),
                    format_duration_ns(side.step_ns.value), format_half_width(side.step_ns)});
  }
  return crossover.scenario + "\n" +
         text_table({{"implementation", false},
                     {"load", true},
                     {"prepare", true},
                     {"first step", true},
                     {"steady step", true},
                     {"95%", true}},
                    rows) +
         "\n" + answer_words(crossover) + "\nMedians over " +
         counted(static_cast<std::size_t>(crossover.answer.launches), "launch") +
         "; starting the process is not counted. In brackets the 95% interval over launches.\n";
}

}  // namespace gdbench::render
