#include "harness/measure/scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <unordered_map>

namespace gdbench::measure {

namespace {

// Of the largest gain: whoever comes as near to it has a launch too, so that launches of a scenario stay spread in
// time.
constexpr double kNearTheBest = 0.25;

bool is_done(const Progress& scenario, const RunOptions& options, double seconds_left) {
  if (!scenario.live || scenario.decided) return true;
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

std::vector<std::size_t> with_fewest_launches(const std::vector<Progress>& scenarios, std::vector<std::size_t> some) {
  int fewest = std::numeric_limits<int>::max();
  for (const std::size_t i : some) fewest = std::min(fewest, scenarios[i].launches);
  std::erase_if(some, [&](std::size_t i) { return scenarios[i].launches > fewest; });
  return some;
}

// An interval is as wide as 1 / sqrt(launches): what one more takes off it, per second.
double gain_of(const Progress& scenario) {
  const auto launches = static_cast<double>(scenario.launches);
  return scenario.precision * (1 - std::sqrt(launches / (launches + 1))) / std::max(scenario.launch_seconds, 1e-6);
}

// Fisher-Yates with draws by remainder: the tiny bias of the remainder does not matter here, that the order is the same
// with every standard library does.
std::vector<std::size_t> seeded_permutation(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> permutation(count);
  std::iota(permutation.begin(), permutation.end(), std::size_t{0});
  std::mt19937_64 generator(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(permutation[i - 1], permutation[generator() % i]);
  return permutation;
}

// 0, 1, n-1, 2, n-2, ...: neighbouring differences are all distinct modulo n.
std::size_t zigzag(std::size_t position, std::size_t count) {
  const std::size_t half = (position + 1) / 2;
  return position % 2 == 1 ? half : (count - half) % count;
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
  if (!options.goals.empty() && !short_ones.empty()) return with_fewest_launches(scenarios, short_ones);
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

std::vector<std::size_t> round_order(std::size_t count, int round, int launch, std::uint64_t seed) {
  const std::vector<std::size_t> names =
      seeded_permutation(count, seed * 1'000'003 + static_cast<std::uint64_t>(launch));
  const auto shift = static_cast<std::size_t>(round);
  std::vector<std::size_t> order(count);
  for (std::size_t position = 0; position < count; ++position) {
    order[position] = names[(zigzag(position, count) + shift) % count];
  }
  const bool mirrored = count % 2 == 1 && (shift / std::max<std::size_t>(count, 1)) % 2 == 1;
  if (mirrored) std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::size_t> round_order(std::span<const std::size_t> units, int round, int launch, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> members;  // by unit, in order of its first cell
  std::unordered_map<std::size_t, std::size_t> positions;
  for (std::size_t cell = 0; cell < units.size(); ++cell) {
    const auto [position, fresh] = positions.emplace(units[cell], members.size());
    if (fresh) members.emplace_back();
    members[position->second].push_back(cell);
  }
  const bool mirrored = std::mt19937_64(seed * 1'000'003 + static_cast<std::uint64_t>(launch))() >> 63 == 1;
  std::vector<std::size_t> order;
  for (const std::size_t unit : round_order(members.size(), round, launch, seed)) {
    std::vector<std::size_t>& cells = members[unit];
    const auto shift = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(round) % cells.size());
    std::rotate(cells.begin(), cells.begin() + shift, cells.end());
    if (mirrored) std::reverse(cells.begin(), cells.end());
    order.insert(order.end(), cells.begin(), cells.end());
  }
  return order;
}

}  // namespace gdbench::measure
