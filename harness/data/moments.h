// Means and standard deviations of columns in one pass over the rows (Welford, Technometrics 4, 1962), so that data
// that are resident and data that are read from a file in order are standardised alike, to the last bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gdbench::data {

class ColumnMoments {
 public:
  explicit ColumnMoments(std::size_t columns) : means_(columns, 0.0), squares_(columns, 0.0) {}

  void add(const double* row) {
    ++rows_;
    for (std::size_t j = 0; j < means_.size(); ++j) {
      const double difference = row[j] - means_[j];
      means_[j] += difference / static_cast<double>(rows_);
      squares_[j] += difference * (row[j] - means_[j]);
    }
  }

  const std::vector<double>& means() const { return means_; }
  // Standard deviations over the rows (not the unbiased estimate); 0 for a constant column, and for one whose values
  // differ by the rounding of doubles alone.
  std::vector<double> scales() const {
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // some units in the last place
    std::vector<double> scales;
    for (std::size_t j = 0; j < squares_.size(); ++j) {
      const double scale = std::sqrt(squares_[j] / static_cast<double>(rows_));
      scales.push_back(scale <= kRounding * std::abs(means_[j]) ? 0 : scale);
    }
    return scales;
  }

 private:
  std::int64_t rows_ = 0;
  std::vector<double> means_;
  std::vector<double> squares_;  // sums of squared differences from the mean
};

// A constant column becomes 0.
inline double standardised(double value, double mean, double scale) { return scale == 0 ? 0 : (value - mean) / scale; }

// Of values [rows, columns].
ColumnMoments moments_of(const std::vector<double>& values, std::int64_t columns);

// Per column to mean 0 and standard deviation 1; a constant column becomes 0. `values` is [rows, columns].
void standardise(std::vector<double>& values, const ColumnMoments& moments);

}  // namespace gdbench::data
