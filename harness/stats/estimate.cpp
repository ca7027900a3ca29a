#include "harness/stats/estimate.h"

#include <algorithm>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "harness/stats/distributions.h"
#include "harness/stats/sequential.h"

namespace gdbench::stats {

namespace {

// Times and ratios scatter by factors. Half-way between two ratios is their geometric mean, so that swapping the sides
// turns an estimate over.
enum class Figure { time, ratio, difference };

double middle_of_sorted(const std::vector<double>& figures, Figure kind) {
  const double low = figures[(figures.size() - 1) / 2];
  const double high = figures[figures.size() / 2];
  return kind == Figure::ratio ? std::sqrt(low * high) : (low + high) / 2;
}

// Of two or more figures.
Interval student_interval(std::vector<double> figures, Figure kind, double confidence) {
  const bool logarithmic = kind != Figure::difference;
  const auto count = static_cast<double>(figures.size());
  if (logarithmic) {
    for (double& figure : figures) figure = std::log(figure);
  }
  const double mean = std::accumulate(figures.begin(), figures.end(), 0.0) / count;
  double squares = 0;
  for (const double figure : figures) squares += (figure - mean) * (figure - mean);
  const double quantile = student_quantile((1 + confidence) / 2, static_cast<int>(figures.size()) - 1);
  const double reach = quantile * std::sqrt(squares / (count - 1) / count);
  if (!logarithmic) return {mean - reach, mean + reach};
  return {std::exp(mean - reach), std::exp(mean + reach)};
}

// Nothing where there are too few ratios.
std::optional<Interval> ratio_interval_at_every_look(std::vector<double> ratios, double confidence) {
  for (double& ratio : ratios) ratio = std::log(ratio);
  const std::optional<Interval> interval = interval_at_every_look(ratios, confidence);
  if (!interval) return std::nullopt;
  return Interval{std::exp(interval->low), std::exp(interval->high)};
}

// The figures' median with its interval; there is at least one. `looks`: of ratios.
Estimate median_with_interval(std::vector<double> figures, Figure kind, double confidence, Looks looks) {
  std::sort(figures.begin(), figures.end());
  Estimate estimate;
  estimate.value = middle_of_sorted(figures, kind);
  estimate.interval = {estimate.value, estimate.value};
  if (looks == Looks::every) {
    if (const std::optional<Interval> interval = ratio_interval_at_every_look(figures, confidence)) {
      estimate.interval = *interval;
      estimate.method = IntervalMethod::every_look;
      return estimate;
    }
  }
  if (figures.size() == 1 || figures.front() == figures.back()) return estimate;
  const int rank = median_rank(static_cast<int>(figures.size()), confidence);
  if (rank > 0) {
    const auto below = static_cast<std::size_t>(rank - 1);
    estimate.interval = {figures[below], figures[figures.size() - 1 - below]};
    estimate.method = IntervalMethod::order_statistics;
  } else {
    estimate.interval = student_interval(std::move(figures), kind, confidence);
    estimate.method = IntervalMethod::student;
  }
  return estimate;
}

// By launch: the least value of either side, and each pair's own figure for the case of a single launch.
struct LaunchFigures {
  double min_base = std::numeric_limits<double>::infinity();
  double min_candidate = std::numeric_limits<double>::infinity();
  std::vector<double> figures;
};

// The figure of each launch's least values.
Estimate over_launches(std::span<const Pair> pairs, Figure kind, double confidence, Looks looks = Looks::one) {
  const auto figure = [kind](double base, double candidate) {
    return kind == Figure::difference ? candidate - base : candidate / base;
  };
  if (pairs.empty()) return {};
  std::map<int, LaunchFigures> launches;
  for (const Pair& pair : pairs) {
    LaunchFigures& launch = launches[pair.launch];
    launch.min_base = std::min(launch.min_base, pair.base);
    launch.min_candidate = std::min(launch.min_candidate, pair.candidate);
    launch.figures.push_back(figure(pair.base, pair.candidate));
  }
  std::vector<double> figures;
  if (launches.size() == 1) {
    figures = std::move(launches.begin()->second.figures);
  } else {
    for (const auto& [number, launch] : launches) figures.push_back(figure(launch.min_base, launch.min_candidate));
  }
  Estimate estimate = median_with_interval(std::move(figures), kind, confidence, looks);
  estimate.launches = static_cast<int>(launches.size());
  estimate.within_one_process = launches.size() == 1;
  return estimate;
}

// Why no verdict can be given from so few launches; empty where one can.
std::string too_few_launches(const Estimate& ratio, int minimum) {
  if (ratio.launches >= minimum) return "";
  if (ratio.launches == 0) return "no launch has times of both";
  if (ratio.within_one_process) return "measured within one process: says nothing about other launches";
  return std::to_string(ratio.launches) + " launches, at least " + std::to_string(minimum) + " are needed";
}

}  // namespace

double median(std::vector<double> values) { return values.empty() ? 0.0 : boost::math::statistics::median(values); }

// Not Boost's, which in 1.74 returns a value instead of its deviation.
double median_absolute_deviation(std::vector<double> values) {
  const double center = median(values);
  for (double& value : values) value = std::abs(value - center);
  return median(std::move(values));
}

Estimate typical_time(std::span<const Observation> observations, double confidence) {
  std::vector<Pair> pairs;
  pairs.reserve(observations.size());
  for (const Observation& observation : observations) pairs.push_back({observation.launch, 1, observation.value});
  return over_launches(pairs, Figure::time, confidence);
}

Estimate paired_ratio(std::span<const Pair> pairs, double confidence, Looks looks) {
  return over_launches(pairs, Figure::ratio, confidence, looks);
}

Estimate paired_difference(std::span<const Pair> pairs, double confidence) {
  return over_launches(pairs, Figure::difference, confidence);
}

namespace {

// Of a figure of two independent estimates, with its interval.
Estimate unpaired(const Estimate& base, const Estimate& candidate, double value, const Interval& interval) {
  const bool base_has_fewer = base.launches < candidate.launches;
  return {value, interval, std::min(base.launches, candidate.launches),
          base.within_one_process || candidate.within_one_process, base_has_fewer ? base.method : candidate.method};
}

}  // namespace

Estimate unpaired_ratio(const Estimate& base, const Estimate& candidate) {
  if (base.launches == 0 || candidate.launches == 0) return {};
  return unpaired(base, candidate, candidate.value / base.value,
                  {candidate.interval.low / base.interval.high, candidate.interval.high / base.interval.low});
}

Estimate unpaired_ratio(std::span<const Observation> base, std::span<const Observation> candidate, double confidence) {
  const double each = confidence_of_each(confidence);
  return unpaired_ratio(typical_time(base, each), typical_time(candidate, each));
}

Estimate unpaired_difference(std::span<const Observation> base, std::span<const Observation> candidate,
                             double confidence) {
  if (base.empty() || candidate.empty()) return {};
  const double each = confidence_of_each(confidence);
  const Estimate below = typical_time(base, each);
  const Estimate above = typical_time(candidate, each);
  return unpaired(below, above, above.value - below.value,
                  {above.interval.low - below.interval.high, above.interval.high - below.interval.low});
}

Position position_of(const Interval& interval, const Interval& range) {
  if (interval.high < range.low) return Position::below;
  if (interval.low > range.high) return Position::above;
  const bool inside = interval.low >= range.low && interval.high <= range.high;
  return inside ? Position::within : Position::across;
}

Interval margin_range(double margin) { return {1 / (1 + margin), 1 + margin}; }

double margin_of(const VerdictOptions& options) { return std::max(options.margin, options.noise_floor); }

namespace {

bool is_time(double value) { return value > 0 && std::isfinite(value); }

Comparison judge(Placement placement, const VerdictOptions& options) {
  // By position: below the margin, within, above, across.
  constexpr Verdict kVerdictAt[] = {Verdict::faster, Verdict::equivalent, Verdict::slower, Verdict::inconclusive};
  Comparison result{placement.ratio, Verdict::inconclusive, std::move(placement.remark)};
  if (!result.remark.empty()) return result;
  result.verdict = kVerdictAt[static_cast<std::size_t>(placement.position)];
  if (placement.position == Position::across) {
    char remark[160];
    std::snprintf(remark, sizeof(remark), "the interval from %.3f to %.3f reaches across the margin of %.3g%%",
                  result.ratio.interval.low, result.ratio.interval.high, 100 * margin_of(options));
    result.remark = remark;
    if (options.looks == Looks::every) {
      const Interval& interval = result.ratio.interval;
      const int launches = needed_launches(result.ratio, margin_range(margin_of(options)), options.minimum_launches);
      if (launches > 0) result.remark += "; about " + std::to_string(launches) + " launches may decide it";
      std::snprintf(remark, sizeof(remark), "; a margin of %.1f%% would have been decided",
                    std::ceil(1000 * std::max(interval.high - 1, 1 / interval.low - 1)) / 10);
      result.remark += remark;
    }
  }
  return result;
}

}  // namespace

Placement place(const Estimate& ratio, const Interval& range, const VerdictOptions& options) {
  Placement result;
  result.ratio = ratio;
  result.remark = too_few_launches(ratio, options.minimum_launches);
  if (result.remark.empty()) result.remark = options.unfit;
  if (result.remark.empty()) result.position = position_of(ratio.interval, range);
  return result;
}

Comparison compare(std::span<const Pair> pairs, const VerdictOptions& options) {
  for (const Pair& pair : pairs) {
    if (is_time(pair.base) && is_time(pair.candidate)) continue;
    std::ostringstream remark;
    remark << "a pair of times is " << pair.base << " and " << pair.candidate << ": not positive numbers";
    return {{}, Verdict::inconclusive, remark.str()};
  }
  return compare_ratio(paired_ratio(pairs, options.confidence, options.looks), options);
}

Comparison compare_ratio(const Estimate& ratio, const VerdictOptions& options) {
  return judge(place(ratio, margin_range(margin_of(options)), options), options);
}

Comparison compare_unpaired(std::span<const Observation> base, std::span<const Observation> candidate,
                            const VerdictOptions& options) {
  return compare_ratio(unpaired_ratio(base, candidate, options.confidence), options);
}

namespace {

// Nearly everything is rejected in the first few; without a limit ten thousand members could take as many steps.
constexpr int kMaxSteps = 10;

bool is_apart(const Comparison& comparison) {
  return comparison.verdict == Verdict::faster || comparison.verdict == Verdict::slower;
}

}  // namespace

std::vector<Comparison> compare_family(std::size_t members, double confidence,
                                       const std::function<Comparison(std::size_t, double)>& compare) {
  std::vector<Comparison> comparisons(members);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < members; ++i) left.push_back(i);
  // Step down: with every rejection the rest is a smaller family. To stop early is only more careful.
  std::size_t before = members + 1;
  for (int step = 0; step < kMaxSteps && !left.empty() && left.size() < before; ++step) {
    before = left.size();
    const double own = 1 - (1 - confidence) / static_cast<double>(before);
    std::vector<std::size_t> open;
    for (const std::size_t i : left) {
      comparisons[i] = compare(i, own);
      if (!is_apart(comparisons[i])) open.push_back(i);
    }
    left = std::move(open);
  }
  for (const std::size_t i : left) {
    Comparison alone = compare(i, confidence);
    if (is_apart(alone)) {
      alone.verdict = Verdict::inconclusive;
      alone.remark = "beyond the margin by itself, but not sure enough among " + std::to_string(members) + " cells";
    }
    comparisons[i] = std::move(alone);
  }
  return comparisons;
}

int needed_launches(const Estimate& ratio, const Interval& range, int minimum_launches) {
  if (ratio.within_one_process) return minimum_launches;
  double launches = minimum_launches;
  for (const double limit : {range.low, range.high}) {
    if (!(limit > ratio.interval.low && limit < ratio.interval.high)) continue;
    const double distance = std::abs(std::log(ratio.value / limit));
    const double width =
        std::log(limit < ratio.value ? ratio.value / ratio.interval.low : ratio.interval.high / ratio.value);
    const double factor = width / distance;
    launches = std::max({launches, std::ceil(ratio.launches * factor * factor), ratio.launches + 1.0});
  }
  return launches <= kMaxLaunchesWorthATry ? static_cast<int>(launches) : 0;
}

}  // namespace gdbench::stats
