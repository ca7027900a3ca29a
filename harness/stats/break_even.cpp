#include "harness/stats/break_even.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "harness/stats/distributions.h"

namespace gdbench::stats {

namespace {

// As few as the verdict function accepts.
constexpr int kMinLaunches = 3;
constexpr double kNever = std::numeric_limits<double>::infinity();

// What one launch of the candidate has over the same launch of the other.
struct Difference {
  Pair ready;  // of the other, and of the candidate
  Pair step;   // of the candidate, and of the other: its step takes so much less
};

std::vector<Difference> paired(std::span<const LaunchCost> candidate, std::span<const LaunchCost> other) {
  std::map<int, LaunchCost> others;
  for (const LaunchCost& cost : other) others[cost.launch] = cost;
  std::vector<Difference> differences;
  for (const LaunchCost& cost : candidate) {
    const auto found = others.find(cost.launch);
    if (found == others.end()) continue;
    differences.push_back(
        {{cost.launch, found->second.ready_ns, cost.ready_ns}, {cost.launch, cost.step_ns, found->second.step_ns}});
  }
  return differences;
}

// Of a candidate that is ready so much later and whose step takes so much less.
double steps_of(double later_ns, double faster_ns) {
  if (faster_ns < 0) return kNever;
  if (later_ns <= 0) return 0;
  return faster_ns > 0 ? later_ns / faster_ns : kNever;
}

// Of each launch, in ascending order. `scale`: times the candidate's step.
std::vector<double> steps_of_launches(const std::vector<Difference>& differences, double scale) {
  std::vector<double> steps;
  for (const auto& [ready, step] : differences) {
    steps.push_back(steps_of(ready.candidate - ready.base, step.candidate - scale * step.base));
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

Interval interval_of(const std::vector<Difference>& differences, double margin, double confidence) {
  const int rank = median_rank(static_cast<int>(differences.size()), confidence);
  if (rank > 0) {
    const auto below = static_cast<std::size_t>(rank - 1);
    const std::vector<double> soonest = steps_of_launches(differences, 1 - margin);
    const std::vector<double> latest = steps_of_launches(differences, 1 + margin);
    return {soonest[below], latest[latest.size() - 1 - below]};
  }
  std::vector<Pair> ready;
  std::vector<Pair> soonest;
  std::vector<Pair> latest;
  for (const Difference& difference : differences) {
    const Pair& step = difference.step;
    ready.push_back(difference.ready);
    soonest.push_back({step.launch, (1 - margin) * step.base, step.candidate});
    latest.push_back({step.launch, (1 + margin) * step.base, step.candidate});
  }
  const double each = confidence_of_each(confidence);
  const Interval later_ns = paired_difference(ready, each).interval;
  return {steps_of(later_ns.low, paired_difference(soonest, each).interval.high),
          steps_of(later_ns.high, paired_difference(latest, each).interval.low)};
}

Overtaking overtaking_of(const Interval& interval) {
  if (interval.high == 0) return Overtaking::from_the_start;
  if (interval.low == kNever) return Overtaking::never;
  if (interval.low == 0) return interval.high == kNever ? Overtaking::undecided : Overtaking::at_latest;
  return interval.high == kNever ? Overtaking::at_earliest : Overtaking::after;
}

}  // namespace

BreakEven break_even(std::span<const LaunchCost> candidate, std::span<const LaunchCost> other, double margin,
                     double confidence) {
  const std::vector<Difference> differences = paired(candidate, other);
  BreakEven result;
  result.margin = margin;
  result.launches = static_cast<int>(differences.size());
  result.interval = {0, kNever};
  if (differences.empty()) return result;
  result.steps = median(steps_of_launches(differences, 1));
  result.interval = interval_of(differences, margin, confidence);
  if (result.launches >= kMinLaunches) result.overtaking = overtaking_of(result.interval);
  return result;
}

}  // namespace gdbench::stats
