#include "harness/stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <random>
#include <utility>

#include "harness/stats/resampling.h"

namespace gdbench::stats {

namespace {

// Middle value, or the mean of the two middle ones; reorders `values`, which must not be empty.
double median_in_place(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// Values by launch, in ascending order of launch.
using Clusters = std::vector<std::vector<double>>;

// Clusters with every value in place of its rank among all values, so that a resample's median needs no sorting.
struct RankedClusters {
  std::vector<double> sorted;
  std::vector<std::vector<std::size_t>> ranks;  // as the clusters' values
};

RankedClusters rank(const Clusters& clusters) {
  struct Entry {
    double value;
    std::size_t cluster;
    std::size_t position;
  };
  std::vector<Entry> entries;
  RankedClusters ranked;
  for (std::size_t cluster = 0; cluster < clusters.size(); ++cluster) {
    for (std::size_t i = 0; i < clusters[cluster].size(); ++i) entries.push_back({clusters[cluster][i], cluster, i});
    ranked.ranks.emplace_back(clusters[cluster].size());
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.value < b.value; });
  for (const Entry& entry : entries) {
    ranked.ranks[entry.cluster][entry.position] = ranked.sorted.size();
    ranked.sorted.push_back(entry.value);
  }
  return ranked;
}

// Median of `total` drawn values; counts[r] of them have rank r.
double counted_median(const std::vector<double>& sorted, const std::vector<std::uint32_t>& counts, std::size_t total) {
  std::size_t rank = 0;
  std::size_t seen = counts[0];
  while (seen < (total + 1) / 2) seen += counts[++rank];
  const double low = sorted[rank];
  if (total % 2 == 1 || seen > total / 2) return low;
  do ++rank;
  while (counts[rank] == 0);
  return (low + sorted[rank]) / 2;
}

Interval bootstrap_median(const Clusters& clusters, const BootstrapOptions& options) {
  const RankedClusters ranked = rank(clusters);
  std::mt19937_64 generator(options.seed);
  std::vector<double> medians(static_cast<std::size_t>(std::max(options.resamples, 1)));
  std::vector<std::uint32_t> counts(ranked.sorted.size());
  for (double& resampled_median : medians) {
    std::fill(counts.begin(), counts.end(), 0U);
    std::size_t total = 0;
    for (std::size_t drawn = 0; drawn < clusters.size(); ++drawn) {
      const std::vector<std::size_t>& ranks = ranked.ranks[draw_index(generator, clusters.size())];
      for (std::size_t i = 0; i < ranks.size(); ++i) ++counts[ranks[draw_index(generator, ranks.size())]];
      total += ranks.size();
    }
    resampled_median = counted_median(ranked.sorted, counts, total);
  }
  return percentile_interval(std::move(medians), options.confidence);
}

std::string format(const char* pattern, double a, double b, double c) {
  char text[160];
  std::snprintf(text, sizeof(text), pattern, a, b, c);
  return text;
}

// Why no verdict can be given from so few launches; empty where one can.
std::string too_few_launches(const Estimate& ratio, int minimum) {
  if (ratio.launches >= minimum) return "";
  if (ratio.launches == 0) return "nothing was measured";
  if (ratio.within_one_process) return "measured within one process: says nothing about other launches";
  return std::to_string(ratio.launches) + " launches, at least " + std::to_string(minimum) + " are needed";
}

}  // namespace

double median(std::vector<double> values) { return values.empty() ? 0.0 : median_in_place(values); }

double median_absolute_deviation(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return median(std::move(deviations));
}

Estimate clustered_median(std::span<const Observation> observations, const BootstrapOptions& options) {
  if (observations.empty()) return {};
  std::map<int, std::vector<double>> by_launch;
  std::vector<double> all;
  for (const Observation& observation : observations) {
    by_launch[observation.launch].push_back(observation.value);
    all.push_back(observation.value);
  }
  Clusters clusters;
  for (auto& [launch, values] : by_launch) clusters.push_back(std::move(values));

  Estimate estimate;
  estimate.value = median_in_place(all);
  estimate.interval = bootstrap_median(clusters, options);
  estimate.launches = static_cast<int>(clusters.size());
  estimate.within_one_process = clusters.size() == 1;
  return estimate;
}

Estimate paired_ratio(std::span<const Pair> pairs, const BootstrapOptions& options) {
  if (pairs.empty()) return {};
  std::vector<Observation> logarithms;
  for (const Pair& pair : pairs) logarithms.push_back({pair.launch, std::log(pair.candidate / pair.base)});
  Estimate estimate = clustered_median(logarithms, options);
  estimate.value = std::exp(estimate.value);
  estimate.interval = {std::exp(estimate.interval.low), std::exp(estimate.interval.high)};
  return estimate;
}

Estimate paired_difference(std::span<const Pair> pairs, const BootstrapOptions& options) {
  std::vector<Observation> differences;
  differences.reserve(pairs.size());
  for (const Pair& pair : pairs) differences.push_back({pair.launch, pair.candidate - pair.base});
  return clustered_median(differences, options);
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "?";
}

int fewest_launches(double confidence) { return static_cast<int>(std::ceil(1 - std::log2(1 - confidence))); }

const char* name_of(Position position) {
  switch (position) {
    case Position::below:
      return "below";
    case Position::within:
      return "within";
    case Position::above:
      return "above";
    case Position::across:
      return "across";
  }
  return "?";
}

Position position_of(const Interval& interval, const Interval& range) {
  if (interval.high < range.low) return Position::below;
  if (interval.low > range.high) return Position::above;
  const bool inside = interval.low >= range.low && interval.high <= range.high;
  return inside ? Position::within : Position::across;
}

Interval margin_range(double margin) { return {1 / (1 + margin), 1 + margin}; }

Placement place(std::span<const Pair> pairs, const Interval& range, const VerdictOptions& options) {
  Placement result;
  for (const Pair& pair : pairs) {
    if (pair.base > 0 && pair.candidate > 0 && std::isfinite(pair.base) && std::isfinite(pair.candidate)) continue;
    result.remark = format("a pair of times is %g and %g: not positive numbers", pair.base, pair.candidate, 0);
    return result;
  }
  result.ratio = paired_ratio(pairs, options.bootstrap);
  result.remark = too_few_launches(result.ratio, options.minimum_launches);
  if (result.remark.empty()) result.position = position_of(result.ratio.interval, range);
  return result;
}

Comparison compare(std::span<const Pair> pairs, const VerdictOptions& options) {
  Placement placement = place(pairs, margin_range(options.margin), options);
  Comparison result;
  result.ratio = placement.ratio;
  result.remark = std::move(placement.remark);
  if (!result.remark.empty()) return result;
  switch (placement.position) {
    case Position::below:
      result.verdict = Verdict::faster;
      break;
    case Position::above:
      result.verdict = Verdict::slower;
      break;
    case Position::within:
      result.verdict = Verdict::equivalent;
      break;
    case Position::across:
      result.remark = format("the interval from %.3f to %.3f reaches across the margin of %g%%",
                             result.ratio.interval.low, result.ratio.interval.high, 100 * options.margin);
      break;
  }
  return result;
}

}  // namespace gdbench::stats
