#include "harness/stats/crossover.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace gdbench::stats {

namespace {

// A gap narrower than this says nothing more about where the crossing lies than the scatter of its ends does.
constexpr double kNarrowGap = 1.05;

bool has_winner(const Comparison& comparison) {
  return comparison.verdict == Verdict::faster || comparison.verdict == Verdict::slower;
}

double log_of(std::int64_t size) { return std::log(static_cast<double>(size)); }

// Sizes in equal ratios from one end to the other, without repetition.
std::set<std::int64_t> grid_of(const CrossoverOptions& options) {
  std::set<std::int64_t> sizes = {options.from, options.to};
  for (int i = 1; i + 1 < options.grid; ++i) {
    const double share = static_cast<double>(i) / (options.grid - 1);
    sizes.insert(std::llround(std::exp(log_of(options.from) * (1 - share) + log_of(options.to) * share)));
  }
  return sizes;
}

// The middle by ratio of two sizes that are not neighbours.
std::int64_t middle(std::int64_t low, std::int64_t high) {
  const std::int64_t size = std::llround(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
  return std::clamp(size, low + 1, high - 1);
}

std::optional<SizeToMeasure> more_launches(const ComparedSizes& sizes, std::int64_t first, std::int64_t last,
                                           const CrossoverOptions& options) {
  std::optional<SizeToMeasure> fewest;
  for (const auto& [size, comparison] : sizes) {
    const int launches = comparison.ratio.launches;
    if (size < first || size > last || comparison.verdict != Verdict::inconclusive) continue;
    if (launches >= options.most_launches || (fewest && fewest->launches <= launches)) continue;
    fewest = {size, launches};
  }
  if (fewest) fewest->launches = std::min(std::max(2 * fewest->launches, options.launches), options.most_launches);
  return fewest;
}

// Between two sizes with opposite winners.
std::optional<SizeToMeasure> next_within(const ComparedSizes& sizes, const Crossing& crossing,
                                         const CrossoverOptions& options) {
  const auto first = std::next(sizes.find(crossing.low));
  const auto last = std::prev(sizes.find(crossing.high));
  if (first->first == crossing.high) {
    if (crossing.high - crossing.low < 2) return std::nullopt;
    return SizeToMeasure{middle(crossing.low, crossing.high), options.launches};
  }
  if (const auto again = more_launches(sizes, first->first, last->first, options)) return again;
  const auto ratio = [](std::int64_t low, std::int64_t high) {
    return high - low < 2 ? 1.0 : static_cast<double>(high) / static_cast<double>(low);
  };
  const double below = ratio(crossing.low, first->first);
  const double above = ratio(last->first, crossing.high);
  if (std::max(below, above) <= kNarrowGap) return std::nullopt;
  const std::int64_t size = below >= above ? middle(crossing.low, first->first) : middle(last->first, crossing.high);
  return SizeToMeasure{size, options.launches};
}

std::vector<Crossing> crossings_of(const ComparedSizes& sizes) {
  std::vector<Crossing> crossings;
  const ComparedSizes::value_type* before = nullptr;
  for (const auto& point : sizes) {
    if (!has_winner(point.second)) continue;
    if (before != nullptr && before->second.verdict != point.second.verdict) {
      crossings.push_back({before->first, point.first, point.second.verdict == Verdict::faster});
    }
    before = &point;
  }
  return crossings;
}

double estimate_of(const ComparedSizes& sizes, const Crossing& crossing) {
  double count = 0;
  double x_sum = 0;
  double y_sum = 0;
  double xx_sum = 0;
  double xy_sum = 0;
  const auto end = sizes.upper_bound(crossing.high);
  for (auto point = sizes.find(crossing.low); point != end; ++point) {
    if (!(point->second.ratio.value > 0)) continue;
    const double x = log_of(point->first);
    const double y = std::log(point->second.ratio.value);
    count += 1;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  const double slope = (count * xy_sum - x_sum * y_sum) / (count * xx_sum - x_sum * x_sum);
  const double zero = std::exp((x_sum - y_sum / slope) / count);
  const auto low = static_cast<double>(crossing.low);
  const auto high = static_cast<double>(crossing.high);
  // A flat line has no zero.
  return std::isfinite(zero) ? std::clamp(zero, low, high) : std::sqrt(low * high);
}

// Whether an inconclusive size may hide a change of winner: its nearest decided neighbours are not the same winner.
bool hides_something(const ComparedSizes& sizes) {
  std::optional<Verdict> before;
  bool unsure = false;
  for (const auto& [size, comparison] : sizes) {
    if (comparison.verdict == Verdict::inconclusive) {
      unsure = true;
      continue;
    }
    const bool same = before == comparison.verdict && has_winner(comparison);
    if (unsure && !same) return true;
    before = comparison.verdict;
    unsure = false;
  }
  return unsure || sizes.empty();
}

}  // namespace

const char* name_of(CrossoverOutcome outcome) {
  switch (outcome) {
    case CrossoverOutcome::crossing:
      return "crossing";
    case CrossoverOutcome::none:
      return "none";
    case CrossoverOutcome::undecided:
      return "undecided";
  }
  return "?";
}

std::optional<SizeToMeasure> next_size(const ComparedSizes& sizes, const CrossoverOptions& options) {
  for (const std::int64_t size : {options.from, options.to}) {
    if (!sizes.contains(size)) return SizeToMeasure{size, options.launches};
  }
  for (const std::int64_t size : grid_of(options)) {
    if (!sizes.contains(size)) return SizeToMeasure{size, options.launches};
  }
  const std::vector<Crossing> crossings = crossings_of(sizes);
  if (!crossings.empty()) return next_within(sizes, crossings.front(), options);
  return more_launches(sizes, options.from, options.to, options);
}

Crossover find_crossover(const ComparedSizes& sizes) {
  Crossover result;
  std::vector<Crossing> crossings = crossings_of(sizes);
  if (crossings.empty()) {
    if (!hides_something(sizes)) result.outcome = CrossoverOutcome::none;
    return result;
  }
  result.outcome = CrossoverOutcome::crossing;
  result.crossing = crossings.front();
  result.estimate = estimate_of(sizes, result.crossing);
  result.others.assign(crossings.begin() + 1, crossings.end());
  return result;
}

}  // namespace gdbench::stats
