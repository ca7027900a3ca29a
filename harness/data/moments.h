// Means and standard deviations of columns in one pass over the rows (Welford, Technometrics 4, 1962), so that data
// that are resident and data that are read from a file in order are standardised alike, to the last bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gdbench::data {

class ColumnMoments {
 public:
  explicit ColumnMoments(std::size_t columns) : means_(columns, 0.0), squares_(columns) {}

  void add(const double* row) {
    ++rows_;
    for (std::size_t j = 0; j < means_.size(); ++j) {
      const double difference = row[j] - means_[j];
      means_[j] += difference / static_cast<double>(rows_);
      Squares& squares = squares_[j];
      const double size = std::abs(difference);
      if (size > kLarge) {
        squares.large += difference / kUnit * ((row[j] - means_[j]) / kUnit);
      } else if (size < 1 / kLarge) {
        squares.small += difference * kUnit * ((row[j] - means_[j]) * kUnit);
      } else {
        squares.usual += difference * (row[j] - means_[j]);
      }
    }
  }

  const std::vector<double>& means() const { return means_; }
  // Standard deviations over the rows (not the unbiased estimate); 0 for a constant column, and for one whose values
  // differ by the rounding of doubles alone.
  std::vector<double> scales() const {
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // some units in the last place
    std::vector<double> scales;
    const auto deviation = [&](double sum) { return std::sqrt(sum / static_cast<double>(rows_)); };
    for (std::size_t j = 0; j < squares_.size(); ++j) {
      const double scale = std::hypot(deviation(squares_[j].large) * kUnit, deviation(squares_[j].usual),
                                      deviation(squares_[j].small) / kUnit);
      scales.push_back(scale <= kRounding * std::abs(means_[j]) ? 0 : scale);
    }
    return scales;
  }

 private:
  static constexpr double kLarge = 0x1p480;
  static constexpr double kUnit = 0x1p700;

  // Sums of squared differences from the mean. Those that overflow or vanish as squares are summed in other units
  // (Blue, ACM TOMS 4, 1978).
  struct Squares {
    double large = 0;  // in units of kUnit
    double usual = 0;
    double small = 0;  // in units of 1 / kUnit
  };

  std::int64_t rows_ = 0;
  std::vector<double> means_;
  std::vector<Squares> squares_;
};

// A constant column becomes 0.
inline double standardised(double value, double mean, double scale) { return scale == 0 ? 0 : (value - mean) / scale; }

// Of values [rows, columns].
ColumnMoments moments_of(const std::vector<double>& values, std::int64_t columns);

// "1 feature is constant: "x"" of a column that standardisation makes 0, or that is as good as a bias; of several
// likewise, and empty where there is none. `names` may be empty.
std::string constants_remark(const ColumnMoments& moments, const std::vector<std::string>& names,
                             const std::string& what);

// Per column to mean 0 and standard deviation 1; a constant column becomes 0. `values` is [rows, columns].
void standardise(std::vector<double>& values, const ColumnMoments& moments);

}  // namespace gdbench::data
