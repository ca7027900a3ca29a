#include "harness/stats/break_even.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace gdbench::stats {

namespace {

// As few as the verdict function accepts.
constexpr int kMinLaunches = 3;
constexpr double kNever = std::numeric_limits<double>::infinity();

// What one launch of the candidate has over the same launch of the other.
struct Difference {
  double later_ns = 0;   // it is ready so much later
  double faster_ns = 0;  // its step takes so much less
  double margin_ns = 0;  // and may take so much less or more than that
};

std::vector<Difference> paired(std::span<const LaunchCost> candidate, std::span<const LaunchCost> other,
                               double margin) {
  std::map<int, LaunchCost> others;
  for (const LaunchCost& cost : other) others[cost.launch] = cost;
  std::vector<Difference> differences;
  for (const LaunchCost& cost : candidate) {
    const auto found = others.find(cost.launch);
    if (found == others.end()) continue;
    differences.push_back(
        {cost.ready_ns - found->second.ready_ns, found->second.step_ns - cost.step_ns, margin * cost.step_ns});
  }
  return differences;
}

// With `margins` times its margin added to each step's gain.
double break_even_steps(const std::vector<Difference>& differences, double margins) {
  std::vector<double> later;
  std::vector<double> faster;
  for (const Difference& difference : differences) {
    later.push_back(difference.later_ns);
    faster.push_back(difference.faster_ns + margins * difference.margin_ns);
  }
  const double later_ns = median(std::move(later));
  const double faster_ns = median(std::move(faster));
  if (faster_ns < 0) return kNever;
  if (later_ns <= 0) return 0;
  return faster_ns > 0 ? later_ns / faster_ns : kNever;
}

// Percentile interval whose ends are values of the bootstrap, rounded outwards: infinite ones cannot be interpolated.
Interval bootstrap_interval(const std::vector<Difference>& differences, const BootstrapOptions& options) {
  std::mt19937_64 generator(options.seed);
  std::vector<double> soonest(static_cast<std::size_t>(std::max(options.resamples, 1)));
  std::vector<double> latest(soonest.size());
  std::vector<Difference> drawn(differences.size());
  for (std::size_t resample = 0; resample < soonest.size(); ++resample) {
    for (Difference& difference : drawn) difference = differences[draw_index(generator, differences.size())];
    soonest[resample] = break_even_steps(drawn, 1);
    latest[resample] = break_even_steps(drawn, -1);
  }
  std::sort(soonest.begin(), soonest.end());
  std::sort(latest.begin(), latest.end());
  const double last = static_cast<double>(soonest.size() - 1);
  const double tail = (1 - options.confidence) / 2 * last;
  return {soonest[static_cast<std::size_t>(std::floor(tail))],
          latest[static_cast<std::size_t>(std::ceil(last - tail))]};
}

Overtaking overtaking_of(const Interval& interval) {
  if (interval.high == 0) return Overtaking::from_the_start;
  if (interval.low == kNever) return Overtaking::never;
  if (interval.low == 0) return interval.high == kNever ? Overtaking::undecided : Overtaking::at_latest;
  return interval.high == kNever ? Overtaking::at_earliest : Overtaking::after;
}

}  // namespace

BreakEven break_even(std::span<const LaunchCost> candidate, std::span<const LaunchCost> other, double margin,
                     const BootstrapOptions& options) {
  const std::vector<Difference> differences = paired(candidate, other, margin);
  BreakEven result;
  result.margin = margin;
  result.launches = static_cast<int>(differences.size());
  result.interval = {0, kNever};
  if (differences.empty()) return result;
  result.steps = break_even_steps(differences, 0);
  result.interval = bootstrap_interval(differences, options);
  if (result.launches >= kMinLaunches) result.overtaking = overtaking_of(result.interval);
  return result;
}

}  // namespace gdbench::stats
