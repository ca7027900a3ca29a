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

enum class Verdict { faster, slower, equivalent, inconclusive };
const char* name_of(Verdict verdict);

struct Comparison {
  Estimate ratio;  // time of the candidate over time of the base
  Verdict verdict = Verdict::inconclusive;
  std::string remark;  // why it is inconclusive; empty otherwise
};

struct VerdictOptions {
  double margin = 0.01;  // ratios from 1 / (1 + margin) to 1 + margin do not matter
  int minimum_launches = 3;
  BootstrapOptions bootstrap;
};

// The fewest launches whose values span their median with that confidence: n values all lie on one side of it with
// probability 2^(1-n), so that no interval within their range can be surer. 6 for 95%, 8 for 99%.
int fewest_launches(double confidence);

// The one verdict function: claims, tables, compare and explain all call it. faster or slower only when the whole
// interval lies beyond the margin, equivalent only when all of it lies within, inconclusive otherwise and below the
// minimum number of launches.
Comparison compare(std::span<const Pair> pairs, const VerdictOptions& options);

}  // namespace gdbench::stats
