#include "implementations/strategies/common/batch_rows.h"

#include <numeric>

namespace gdbench::strategies {

std::vector<MicroBatch> micro_batches(std::int64_t rows, std::int64_t count) {
  std::vector<MicroBatch> parts;
  for (std::int64_t first = 0, part = 0; first < rows; ++part) {
    const std::int64_t size = rows / count + (part < rows % count ? 1 : 0);
    parts.push_back({first, size, static_cast<double>(size) / static_cast<double>(rows)});
    first += size;
  }
  return parts;
}

RowOrder::RowOrder(const gdbench_data& data, std::int64_t batch_rows, bool labels, bool numbered)
    : identity_(numbered && data.order == nullptr ? static_cast<std::size_t>(data.rows) : 0),
      ordered_(data),
      plan_{&ordered_, batch_rows, labels} {
  std::iota(identity_.begin(), identity_.end(), 0U);
  if (identity_.empty()) return;
  ordered_.order = identity_.data();
  ordered_.epochs = 1;
}

}  // namespace gdbench::strategies
