// Estimates with intervals from samples that are clustered by launch, and the one function that gives a verdict.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gdbench::stats {

// Medians of the values; 0 for none. median_absolute_deviation is not scaled to a standard deviation.
double median(std::vector<double> values);
double median_absolute_deviation(const std::vector<double>& values);

// A value with the launch it was measured in. Launches, not values, are independent.
struct Observation {
  int launch = 0;
  double value = 0;
};

struct Interval {
  double low = 0;
  double high = 0;
};

struct Estimate {
  double value = 0;
  Interval interval;
  int launches = 0;
  bool within_one_process = false;  // a single launch: the interval says nothing about other launches
};

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 1;
};

// Median over all values; percentile interval of a bootstrap that resamples launches, then values within a launch.
// B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993), ch. 8 (two-stage resampling) and 13 (percentile
// interval).
Estimate clustered_median(std::span<const Observation> observations, const BootstrapOptions& options);

// Two values of the same launch group and round.
struct Pair {
  int launch = 0;
  double base = 0;
  double candidate = 0;
};

// exp of the median of log(candidate / base), interval as above. Values must be positive.
Estimate paired_ratio(std::span<const Pair> pairs, const BootstrapOptions& options);

// Median of candidate - base, interval as above; in the unit of the values.
Estimate paired_difference(std::span<const Pair> pairs, const BootstrapOptions& options);

// Where an interval lies to a range of values; the range's ends belong to it.
enum class Position { below, within, above, across };
const char* name_of(Position position);  // "below", "within", "above", "across"
Position position_of(const Interval& interval, const Interval& range);

enum class Verdict { faster, slower, equivalent, inconclusive };
const char* name_of(Verdict verdict);

struct Comparison {
  Estimate ratio;  // time of the candidate over time of the base
  Verdict verdict = Verdict::inconclusive;
  std::string remark;  // why it is inconclusive; empty otherwise
};

struct VerdictOptions {
  double margin = 0.01;  // see margin_range
  int minimum_launches = 3;
  BootstrapOptions bootstrap;
};

// The fewest launches whose values span their median with that confidence: n values all lie on one side of it with
// probability 2^(1-n), so that no interval within their range can be surer. 6 for 95%, 8 for 99%.
int fewest_launches(double confidence);

// A ratio's position to a range, where its launches allow one.
struct Placement {
  Estimate ratio;  // of the candidate to the base
  Position position = Position::across;
  std::string remark;  // why there is none, although the interval may lie on one side; empty otherwise
};

// What every verdict rests on: no position below options.minimum_launches, whose margin is not used here.
Placement place(std::span<const Pair> pairs, const Interval& range, const VerdictOptions& options);

// The ratios that do not matter. Reciprocal limits, so that swapping base and candidate swaps the verdict.
Interval margin_range(double margin);  // 1 / (1 + margin) to 1 + margin

// The one verdict function: tables, compare and explain call it, claims what it rests on. faster or slower only when
// the whole interval lies beyond the margin, equivalent only when all of it lies within, inconclusive otherwise and
// below the minimum number of launches.
Comparison compare(std::span<const Pair> pairs, const VerdictOptions& options);

}  // namespace gdbench::stats
