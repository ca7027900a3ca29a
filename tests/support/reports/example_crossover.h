// Crossovers made by hand, of "one/x" and "two/y".
#pragma once

#include <vector>

#include "harness/report/crossover.h"

namespace gdbench::tests {

// Both sides' times at a size, each 1% to both sides.
report::CrossoverPoint point(std::int64_t size, double a_ns, double b_ns, stats::Verdict verdict);
// Over rows, with the answer that follows from the points.
report::Crossover crossover(std::vector<report::CrossoverPoint> points);

// "one/x" has the faster steps.
report::StepsCrossover steps_crossover(stats::Overtaking overtaking, double steps, stats::Interval interval);

}  // namespace gdbench::tests
