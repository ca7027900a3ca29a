// What every bootstrap here shares: for figures of a whole data set, without an interval by order statistics (fits).
#pragma once

#include <algorithm>
#include <cmath>
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

// Between 0 and 1.
inline double draw_uniform(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1p-53; }

// Standard normal. G. Box, M. Muller, A note on the generation of random normal deviates (1958).
inline double draw_normal(std::mt19937_64& generator) {
  constexpr double kTurn = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(1 - draw_uniform(generator)));
  return radius * std::cos(kTurn * draw_uniform(generator));
}

// What a median may be by the positive values that scatter around it, drawn so that it lies in typical_time()'s
// interval as often as that says. Values drawn again, as a bootstrap does, never leave the range of those there are,
// where the median of three lies in three cases of four only. From min_launches() on, the median lies between the order
// statistics k and k + 1 as often as k of n coins show heads; of fewer, Student's t of the logarithms is drawn.
// T. Schweder, N. Hjort, Confidence, Likelihood, Probability (2016), ch. 3 and 11.
inline double draw_median(std::mt19937_64& generator, const std::vector<double>& sorted) {
  const std::size_t count = sorted.size();
  if (sorted.front() == sorted.back()) return sorted.front();
  if (count >= static_cast<std::size_t>(min_launches(kConfidence))) {
    std::size_t below = 0;
    for (std::size_t i = 0; i < count; ++i) below += generator() >> 63;
    const double weight = draw_uniform(generator);
    const double low = sorted[below > 0 ? below - 1 : 0];
    const double high = sorted[std::min(below, count - 1)];
    return low + weight * (high - low);
  }
  const auto n = static_cast<double>(count);
  double mean = 0;
  for (const double value : sorted) mean += std::log(value) / n;
  double squares = 0;
  for (const double value : sorted) squares += std::pow(std::log(value) - mean, 2);
  const double normal = draw_normal(generator);
  double drawn_squares = 0;
  for (std::size_t i = 1; i < count; ++i) drawn_squares += std::pow(draw_normal(generator), 2);
  // So far off as no sum of such draws overflows: two values hardly say anything.
  constexpr double kMostLogarithms = 50;
  const double off = normal * std::sqrt(squares / drawn_squares / n);
  return std::exp(mean + std::clamp(off, -kMostLogarithms, kMostLogarithms));
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
