#include "harness/data/moments.h"

#include <algorithm>

#include "harness/base/text.h"

namespace gdbench::data {

ColumnMoments moments_of(const std::vector<double>& values, std::int64_t columns) {
  ColumnMoments moments(static_cast<std::size_t>(columns));
  for (const double* row = values.data(); row != values.data() + values.size(); row += columns) moments.add(row);
  return moments;
}

std::string constants_remark(const ColumnMoments& moments, const std::vector<std::string>& names,
                             const std::string& what) {
  constexpr std::size_t kMostNames = 3;
  const std::vector<double> scales = moments.scales();
  const std::int64_t count = std::ranges::count(scales, 0.0);
  if (count == 0) return "";
  std::vector<std::string> constant;
  for (std::size_t column = 0; column < scales.size() && constant.size() < kMostNames; ++column) {
    if (scales[column] == 0) constant.push_back(names.empty() ? std::to_string(column) : in_quotes(names[column]));
  }
  return cat(count, " ", what, count == 1 ? " is constant: " : "s are constant: ", joined(constant),
             count > static_cast<std::int64_t>(kMostNames) ? " ..." : "");
}

void standardise(std::vector<double>& values, const ColumnMoments& moments) {
  const std::vector<double>& means = moments.means();
  const std::vector<double> scales = moments.scales();
  for (double* row = values.data(); row != values.data() + values.size(); row += means.size()) {
    for (std::size_t j = 0; j < means.size(); ++j) row[j] = standardised(row[j], means[j], scales[j]);
  }
}

}  // namespace gdbench::data
