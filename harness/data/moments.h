// Means and standard deviations of columns in one pass over the rows (Welford, Technometrics 4, 1962), so that data
// that are resident and data that are read from a file in order are standardised alike, to the last bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
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
  // Standard deviations over the rows (not the unbiased estimate); 0 for a constant column.
  std::vector<double> scales() const {
    std::vector<double> scales;
    for (const double square : squares_) scales.push_back(std::sqrt(square / static_cast<double>(rows_)));
    return scales;
  }

 private:
  std::int64_t rows_ = 0;
  std::vector<double> means_;
  std::vector<double> squares_;  // sums of squared differences from the mean
};

// A constant column becomes 0.
inline double standardised(double value, double mean, double scale) { return scale == 0 ? 0 : (value - mean) / scale; }

// Per column to mean 0 and standard deviation 1 (over the rows, not the unbiased estimate); a constant column becomes
// 0. `values` is [rows, columns].
void standardise(std::vector<double>& values, std::int64_t columns);

}  // namespace gdbench::data
