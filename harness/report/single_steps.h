// What single steps of a cell take: blocks hide those that take much longer than others.
#pragma once

#include <cmath>
#include <cstdint>

namespace gdbench::report {

// Of steps that were timed one by one. Percentiles interpolate linearly between order statistics.
struct SingleSteps {
  std::int64_t steps = 0;
  double p50_ns = 0;
  double p95_ns = 0;
  double p99_ns = 0;
  double max_ns = 0;
  double cost = 0;  // what timing each adds to a step, as a share; below 0 where it was hidden by the machine's noise
};

// Of steps alone in their block: after steps of the same training, and after the caches were filled with other data.
struct ColdSteps {
  std::int64_t steps = 0;  // of either kind
  double cold_ns = 0;      // medians
  double warm_ns = 0;
};

// Beyond this the clock, and a call for each step, are in the way of what they measure.
constexpr double kMostCostOfTiming = 0.02;
inline bool are_telling(const SingleSteps& steps) { return std::abs(steps.cost) <= kMostCostOfTiming; }

}  // namespace gdbench::report
