// What every bootstrap here shares: for figures that come out of a whole data set, of which no order statistic has an
// interval (break-even points, fits).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "harness/stats/estimate.h"

namespace gdbench::stats {

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 1;
};

// An index below `size`, which is at most 2^32: the high 32 bits of a draw, scaled by a multiplication. Written here
// because std::uniform_int_distribution differs between standard libraries, and a report must be recomputable anywhere.
inline std::size_t draw_index(std::mt19937_64& generator, std::size_t size) {
  return static_cast<std::size_t>(((generator() >> 32) * size) >> 32);
}

// Quantile with linear interpolation between order statistics (type 7 of R. Hyndman, Y. Fan, Sample quantiles in
// statistical packages, 1996). `sorted` must not be empty.
inline double quantile(const std::vector<double>& sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

// The percentile interval of a bootstrap's figures, which must not be empty. B. Efron, R. Tibshirani, An Introduction
// to the Bootstrap (1993), ch. 13.
inline Interval percentile_interval(std::vector<double> figures, double confidence) {
  std::sort(figures.begin(), figures.end());
  const double tail = (1 - confidence) / 2;
  return {quantile(figures, tail), quantile(figures, 1 - tail)};
}

}  // namespace gdbench::stats
