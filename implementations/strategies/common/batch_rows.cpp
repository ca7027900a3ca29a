#include "implementations/strategies/common/batch_rows.h"

#include <algorithm>
#include <numeric>

namespace gdbench::strategies {

std::vector<MicroBatch> micro_batches(std::int64_t rows, std::int64_t count, const loader::Rank& rank) {
  const std::int64_t own_rows = rank.part_of(rows).rows;
  std::vector<MicroBatch> parts;
  for (std::int64_t part = 0; part < std::min(count, own_rows); ++part) {
    const loader::RowRange range = loader::part_of_rows(own_rows, part, count);
    parts.push_back({range.first, range.rows, static_cast<double>(range.rows) / static_cast<double>(rows)});
  }
  return parts;
}

RowOrder::RowOrder(const gdbench_data& data, loader::Batching batch, bool labels, bool numbered,
                   const loader::Rank& rank)
    : identity_(numbered && data.order == nullptr ? static_cast<std::size_t>(data.rows) : 0),
      ordered_(data),
      plan_{&ordered_, batch, labels, rank} {
  std::iota(identity_.begin(), identity_.end(), 0U);
  if (identity_.empty()) return;
  ordered_.order = identity_.data();
  ordered_.epochs = 1;
}

}  // namespace gdbench::strategies
