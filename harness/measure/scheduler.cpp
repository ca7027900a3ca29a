#include "harness/measure/scheduler.h"

#include <algorithm>
#include <cmath>

namespace gdbench::measure {

namespace {

// Of the largest gain: whoever comes as near to it has a launch too, so that launches of a scenario stay spread in
// time.
constexpr double kNearTheBest = 0.25;

bool is_done(const Progress& scenario, const RunOptions& options, double seconds_left) {
  if (!scenario.live) return true;
  if (options.launches > 0) return scenario.launches >= options.launches;
  if (options.max_launches > 0 && scenario.launches >= options.max_launches) return true;
  if (scenario.launches < options.minimum_launches) return false;
  if (!has_time(scenario, options, seconds_left)) return true;
  return options.precision > 0 && scenario.precision <= options.precision;
}

// Of the short ones, the cheapest that `seconds_left` suffices for.
std::vector<std::size_t> affordable(const std::vector<Progress>& scenarios, std::vector<std::size_t> short_ones,
                                    const RunOptions& options, double seconds_left) {
  const auto missing_seconds = [&](std::size_t i) {
    return scenarios[i].launch_seconds * (options.decisive_launches - scenarios[i].launches);
  };
  std::stable_sort(short_ones.begin(), short_ones.end(),
                   [&](std::size_t a, std::size_t b) { return missing_seconds(a) < missing_seconds(b); });
  std::size_t count = 0;
  for (double needed = 0; count < short_ones.size(); ++count) {
    needed += missing_seconds(short_ones[count]);
    if (needed > seconds_left) break;
  }
  short_ones.resize(count);
  return short_ones;
}

// An interval is as wide as 1 / sqrt(launches): what one more takes off it, per second.
double gain_of(const Progress& scenario) {
  const auto launches = static_cast<double>(scenario.launches);
  return scenario.precision * (1 - std::sqrt(launches / (launches + 1))) / std::max(scenario.launch_seconds, 1e-6);
}

}  // namespace

bool has_time(const Progress& scenario, const RunOptions& options, double seconds_left) {
  if (options.launches > 0 || scenario.launches < options.minimum_launches) return true;
  return scenario.launch_seconds <= seconds_left;
}

bool is_short(const Progress& scenario, const RunOptions& options) {
  return options.launches == 0 && scenario.live && scenario.launches < options.decisive_launches;
}

std::vector<std::size_t> next_launches(const std::vector<Progress>& scenarios, const RunOptions& options,
                                       double seconds_left) {
  std::vector<std::size_t> open;
  std::vector<std::size_t> short_ones;
  bool first = false;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (is_done(scenarios[i], options, seconds_left)) continue;
    first = first || scenarios[i].launches == 0;
    if (is_short(scenarios[i], options)) short_ones.push_back(i);
    open.push_back(i);
  }
  if (first) {
    std::erase_if(open, [&](std::size_t i) { return scenarios[i].launches > 0; });
    return open;
  }
  if (std::vector<std::size_t> turn = affordable(scenarios, short_ones, options, seconds_left); !turn.empty()) {
    return turn;
  }
  std::erase_if(open, [&](std::size_t i) { return is_short(scenarios[i], options); });
  if (options.launches > 0) return open;
  double best = 0;
  for (const std::size_t i : open) best = std::max(best, gain_of(scenarios[i]));
  // Without an interval the gain is infinite: those come first.
  std::erase_if(open, [&](std::size_t i) { return !(gain_of(scenarios[i]) >= kNearTheBest * best); });
  return open;
}

}  // namespace gdbench::measure
