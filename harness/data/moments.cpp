#include "harness/data/moments.h"

namespace gdbench::data {

void standardise(std::vector<double>& values, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  ColumnMoments moments(width);
  double* const end = values.data() + values.size();
  for (const double* row = values.data(); row != end; row += width) moments.add(row);
  const std::vector<double>& means = moments.means();
  const std::vector<double> scales = moments.scales();
  for (double* row = values.data(); row != end; row += width) {
    for (std::size_t j = 0; j < width; ++j) row[j] = standardised(row[j], means[j], scales[j]);
  }
}

}  // namespace gdbench::data
