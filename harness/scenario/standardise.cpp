#include <cmath>

#include "harness/scenario/table.h"

namespace gdbench::scenario {

void standardise(std::vector<double>& values, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  const auto rows = static_cast<double>(values.size() / width);
  // Row by row, as the values lie in memory; the sums of all columns go along.
  std::vector<double> mean(width, 0.0);
  std::vector<double> square(width, 0.0);
  std::vector<char> constant(width, 1);
  const double* end = values.data() + values.size();
  for (const double* row = values.data(); row != end; row += width) {
    for (std::size_t j = 0; j < width; ++j) {
      mean[j] += row[j] / rows;
      if (row[j] != values[j]) constant[j] = 0;
    }
  }
  for (const double* row = values.data(); row != end; row += width) {
    for (std::size_t j = 0; j < width; ++j) {
      const double difference = row[j] - mean[j];
      square[j] += difference * difference / rows;
    }
  }
  for (double* row = values.data(); row != end; row += width) {
    for (std::size_t j = 0; j < width; ++j) {
      // The mean of equal numbers need not equal them, hence the flag.
      row[j] = constant[j] != 0 ? 0 : (row[j] - mean[j]) / std::sqrt(square[j]);
    }
  }
}

}  // namespace gdbench::scenario
