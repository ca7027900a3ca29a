// From how many steps on one implementation has overtaken another that starts sooner and steps slower.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/estimate.h"

namespace gdbench::stats {

// One launch: what came before its steady steps (load, prepare, and what the first step took beyond a steady one), and
// the least of its steady steps.
struct LaunchCost {
  int launch = 0;
  double ready_ns = 0;
  double step_ns = 0;
};

enum class Overtaking {
  from_the_start,  // ready sooner, and not slower
  after,           // from `steps` steps on
  never,           // not faster, so that it is behind in the long run, wherever it starts
  at_latest,       // faster per step; which is ready sooner is undecided: at most interval.high steps
  at_earliest,     // ready later; steps are not distinguished beyond the margin: at least interval.low steps
  undecided,       // the interval covers all of these, or there are fewer than three launches
};
inline constexpr Named<Overtaking> kOvertakings[] = {{Overtaking::from_the_start, "from the start"},
                                                     {Overtaking::after, "after"},
                                                     {Overtaking::never, "never"},
                                                     {Overtaking::at_latest, "at latest"},
                                                     {Overtaking::at_earliest, "at earliest"},
                                                     {Overtaking::undecided, "undecided"}};
constexpr const auto& rows_of(Overtaking /*any*/) { return kOvertakings; }

struct BreakEven {
  Overtaking overtaking = Overtaking::undecided;
  // (ready of the candidate - ready of the other) / (step of the other - step of the candidate): the median over the
  // launches; 0: from the start, infinite: never.
  double steps = 0;
  // Of steps, its low end with a gain per step that is larger by the margin, its high end with one that is smaller by
  // it: order statistics, and of fewer launches than min_launches() what the intervals of the two differences allow
  // together (C. E. Bonferroni), because a launch may have no number of steps to take a logarithm of.
  Interval interval;
  int launches = 0;
  std::optional<double> margin{};  // share of the candidate's step
};

// Launches of the same number are paired. `margin` is what the difference of the two steps may be off by, as a share of
// the candidate's step: that of the verdict on the two (margin_of). Errors: none; no common launch is undecided.
BreakEven break_even(std::span<const LaunchCost> candidate, std::span<const LaunchCost> other, double margin,
                     double confidence = kConfidence);

}  // namespace gdbench::stats
