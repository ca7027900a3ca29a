// From how many steps on one implementation has overtaken another that starts sooner and steps slower.
#pragma once

#include <span>

#include "harness/stats/resampling.h"

namespace gdbench::stats {

// One launch: what came before its steady steps (load, prepare, and what the first step took beyond a steady one), and
// the median of its steady steps.
struct LaunchCost {
  int launch = 0;
  double ready_ns = 0;
  double step_ns = 0;
};

enum class Overtaking {
  from_the_start,  // ready sooner, and not slower
  after,           // from `steps` steps on
  never,           // not faster, so that it is behind in the long run, wherever it starts
  at_latest,       // faster per step; which is ready sooner is not told: at most interval.high steps
  undecided,       // the interval covers more than one of these, or there are fewer than three launches
};
const char* name_of(Overtaking overtaking);  // "from the start", "after", "never", "at latest", "undecided"

struct BreakEven {
  Overtaking overtaking = Overtaking::undecided;
  // (ready of the candidate - ready of the other) / (step of the other - step of the candidate), each difference the
  // median over the launches; 0: from the start, infinite: never.
  double steps = 0;
  Interval interval;  // of steps, in the bootstrap over launches
  int launches = 0;
};

// Launches of the same number are paired. Errors: none; no common launch is undecided.
BreakEven break_even(std::span<const LaunchCost> candidate, std::span<const LaunchCost> other,
                     const BootstrapOptions& options);

}  // namespace gdbench::stats
