#include "harness/data/moments.h"

namespace gdbench::data {

ColumnMoments moments_of(const std::vector<double>& values, std::int64_t columns) {
  ColumnMoments moments(static_cast<std::size_t>(columns));
  for (const double* row = values.data(); row != values.data() + values.size(); row += columns) moments.add(row);
  return moments;
}

void standardise(std::vector<double>& values, const ColumnMoments& moments) {
  const std::vector<double>& means = moments.means();
  const std::vector<double> scales = moments.scales();
  for (double* row = values.data(); row != values.data() + values.size(); row += means.size()) {
    for (std::size_t j = 0; j < means.size(); ++j) row[j] = standardised(row[j], means[j], scales[j]);
  }
}

}  // namespace gdbench::data
