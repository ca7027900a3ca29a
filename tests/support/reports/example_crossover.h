// Crossovers made by hand, of "one/x" and "two/y".
#pragma once

#include <utility>
#include <vector>

#include "harness/report/crossover.h"

namespace gdbench::tests {

// Both sides' times at a size, each 1% to both sides.
inline report::CrossoverPoint point(std::int64_t size, double a_ns, double b_ns, stats::Verdict verdict) {
  report::CrossoverPoint made;
  made.size = size;
  made.a_step_ns = {a_ns, {a_ns * 0.99, a_ns * 1.01}, 10, false};
  made.b_step_ns = {b_ns, {b_ns * 0.99, b_ns * 1.01}, 10, false};
  made.comparison.ratio = {a_ns / b_ns, {a_ns / b_ns * 0.98, a_ns / b_ns * 1.02}, 10, false};
  made.comparison.verdict = verdict;
  if (verdict == stats::Verdict::inconclusive) made.comparison.remark = "reaches across";
  return made;
}

// Over rows, with the answer that follows from the points.
inline report::Crossover crossover(std::vector<report::CrossoverPoint> points) {
  report::Crossover made;
  made.scenario = "example";
  made.a = "one/x";
  made.b = "two/y";
  made.axis = "rows";
  made.margin = 0.01;
  made.confidence = 0.99;
  made.points = std::move(points);
  stats::ComparedSizes sizes;
  for (const report::CrossoverPoint& measured : made.points) sizes[measured.size] = measured.comparison;
  made.answer = stats::find_crossover(sizes, made.margin);
  return made;
}

// "one/x" has the faster steps.
inline report::StepsCrossover steps_crossover(stats::Overtaking overtaking, double steps, stats::Interval interval) {
  report::StepsCrossover made;
  made.scenario = "example";
  made.sides[0] = {"one/x", 1e-6, 2e-3, 3000, 2'003'500, {500, {490, 510}, 5, false}};
  made.sides[1] = {"two/y", 1e-6, 1e-6, 3000, 4100, {900, {890, 910}, 5, false}};
  made.answer = {overtaking, steps, interval, 5};
  return made;
}

}  // namespace gdbench::tests
