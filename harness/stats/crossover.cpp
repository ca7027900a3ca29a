#include "harness/stats/crossover.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace gdbench::stats {

namespace {

// A gap narrower than this says nothing more about where the crossing lies than the scatter of its ends does.
constexpr double kNarrowGap = 1.05;

// Times the launches of a size that an inconclusive one gets before other sizes are looked at.
constexpr int kLaunchesBeforeNarrowing = 4;

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

// Of these sizes the one with the fewest launches gets twice as many, or what a size gets at first.
std::optional<SizeToMeasure> more_launches(const ComparedSizes& sizes, const std::vector<std::int64_t>& open, int most,
                                           const CrossoverOptions& options) {
  std::optional<SizeToMeasure> fewest;
  for (const std::int64_t size : open) {
    const int launches = sizes.at(size).ratio.launches;
    if (launches >= most || (fewest && fewest->launches <= launches)) continue;
    fewest = {size, launches};
  }
  if (fewest) fewest->launches = std::min(std::max(2 * fewest->launches, options.launches), most);
  return fewest;
}

std::vector<Zone> zones_of(const ComparedSizes& sizes) {
  std::vector<Zone> zones;
  for (const auto& [size, comparison] : sizes) {
    const Zone own = {comparison.verdict, size, size};
    const bool joins =
        !zones.empty() && (own.has_winner() ? zones.back().verdict == own.verdict : !zones.back().has_winner());
    if (!joins) {
      zones.push_back(own);
      continue;
    }
    zones.back().last = size;
    if (own.verdict == Verdict::inconclusive) zones.back().verdict = own.verdict;
  }
  return zones;
}

// What lies between two zones with a winner: a zone without one, or nothing measured. At an end of the range one of the
// two is absent.
struct Change {
  const Zone* before = nullptr;
  const Zone* level = nullptr;
  const Zone* after = nullptr;

  bool is_crossing() const { return before != nullptr && after != nullptr && before->verdict != after->verdict; }
};

// Those between opposite winners first.
std::vector<Change> changes_of(const std::vector<Zone>& zones) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const Zone* after = i + 1 < zones.size() ? &zones[i + 1] : nullptr;
    if (!zones[i].has_winner()) {
      changes.push_back({i > 0 ? &zones[i - 1] : nullptr, &zones[i], after});
    } else if (after != nullptr && after->has_winner()) {
      changes.push_back({&zones[i], nullptr, after});
    }
  }
  std::stable_partition(changes.begin(), changes.end(), [](const Change& change) { return change.is_crossing(); });
  return changes;
}

double ratio_of(std::int64_t low, std::int64_t high) { return static_cast<double>(high) / static_cast<double>(low); }

// 1 where there is nothing to measure between the two.
double gap_between(const Zone* before, const Zone* after) {
  if (before == nullptr || after == nullptr || after->first - before->last < 2) return 1;
  return ratio_of(before->last, after->first);
}

std::vector<std::int64_t> inconclusive_within(const ComparedSizes& sizes, const Zone& zone) {
  std::vector<std::int64_t> found;
  for (auto point = sizes.find(zone.first); point != sizes.end() && point->first <= zone.last; ++point) {
    if (point->second.verdict == Verdict::inconclusive) found.push_back(point->first);
  }
  return found;
}

std::optional<SizeToMeasure> next_within(const ComparedSizes& sizes, const Change& change,
                                         const CrossoverOptions& options) {
  const Zone* before = change.before;
  const Zone* after = change.after;
  if (change.level != nullptr) {
    const int most = std::min(kLaunchesBeforeNarrowing * options.launches, options.max_launches);
    const std::vector<std::int64_t> open = inconclusive_within(sizes, *change.level);
    if (const auto again = more_launches(sizes, open, most, options)) return again;
    const double below = gap_between(before, change.level);
    const double above = gap_between(change.level, after);
    if (std::max(below, above) <= kNarrowGap) return std::nullopt;
    (below >= above ? after : before) = change.level;
  }
  if (gap_between(before, after) <= 1) return std::nullopt;
  return SizeToMeasure{middle(before->last, after->first), options.launches};
}

// Whether the winner may be this one there.
bool may_win(const Comparison& comparison, Verdict winner, double margin) {
  if (comparison.verdict != Verdict::inconclusive) return comparison.verdict == winner;
  if (comparison.ratio.launches < min_launches(kCrossoverConfidence, Looks::every)) return true;
  const Interval range = margin_range(margin);
  return winner == Verdict::faster ? comparison.ratio.interval.low < range.low
                                   : comparison.ratio.interval.high > range.high;
}

}  // namespace

std::optional<SizeToMeasure> next_size(const ComparedSizes& sizes, const CrossoverOptions& options) {
  for (const std::int64_t size : {options.from, options.to}) {
    if (!sizes.contains(size)) return SizeToMeasure{size, options.launches};
  }
  for (const std::int64_t size : grid_of(options)) {
    if (!sizes.contains(size)) return SizeToMeasure{size, options.launches};
  }
  const std::vector<Zone> zones = zones_of(sizes);
  for (const Change& change : changes_of(zones)) {
    if (const auto next = next_within(sizes, change, options)) return next;
  }
  return more_launches(sizes, open_sizes(sizes), options.max_launches, options);
}

std::vector<std::int64_t> open_sizes(const ComparedSizes& sizes) {
  std::vector<std::int64_t> open;
  const std::vector<Zone> zones = zones_of(sizes);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (zones[i].has_winner()) continue;
    const bool between = i > 0 && i + 1 < zones.size();
    if (between && ratio_of(zones[i - 1].last, zones[i + 1].first) <= kNarrowGap * kNarrowGap) continue;
    const std::vector<std::int64_t> found = inconclusive_within(sizes, zones[i]);
    open.insert(open.end(), found.begin(), found.end());
  }
  return open;
}

Crossover find_crossover(const ComparedSizes& sizes, double margin) {
  const auto any = [&](const auto& holds) { return std::any_of(sizes.begin(), sizes.end(), holds); };
  const auto wins = [&](Verdict winner) {
    return any([&](const auto& point) { return point.second.verdict == winner; });
  };
  const auto may = [&](Verdict winner) {
    return any([&](const auto& point) { return may_win(point.second, winner, margin); });
  };
  Crossover result;
  result.zones = zones_of(sizes);
  if (wins(Verdict::faster) && wins(Verdict::slower)) {
    result.outcome = CrossoverOutcome::crossing;
  } else if (!sizes.empty() && !(may(Verdict::faster) && may(Verdict::slower))) {
    result.outcome = CrossoverOutcome::none;
  }
  return result;
}

}  // namespace gdbench::stats
