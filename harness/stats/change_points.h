// Where the level of a sequence of measurements changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdbench::stats {

// The fewest values between two change points, and before the first and behind the last: a single one may be
// a level or an outlier.
constexpr std::size_t kMinSegment = 2;

struct ChangePointOptions {
  double significance = 0.01;  // of each test: how often a sequence without any change is given one
  int permutations = 499;
  std::uint64_t seed = 1;
};

// The numbers of the values with which a new level begins, in ascending order; values are in the order of time.
//
// E-divisive (D. S. Matteson, N. A. James, A nonparametric approach for multiple change point analysis of multivariate
// data, Journal of the American Statistical Association 109, 2014), with energy distances of exponent 1. Of all borders
// in all segments the one with the largest distance between what lies before and behind it is tested by permuting the
// values within each segment; where it is significant it divides its segment, and the next one is looked for. Nothing
// is tuned, and the values may have any distribution. What is permuted must be exchangeable where nothing changes: give
// one value for each group of measurements that share a condition (a report), never the measurements themselves.
//
// Few values have few permutations: at 1% a change needs about 12 values, one to the last two values about 25. A drift
// has no border; where it goes far enough it becomes several steps in one direction.
//
// n values take memory of n^2 and time of n^2 for each permutation; a test ends as soon as it cannot be significant any
// more (J. Besag, P. Clifford, Sequential Monte Carlo p-values, Biometrika 78, 1991), which most do after a few.
std::vector<std::size_t> change_points(const std::vector<double>& values, const ChangePointOptions& options = {});

}  // namespace gdbench::stats
