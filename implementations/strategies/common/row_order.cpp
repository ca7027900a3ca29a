#include "implementations/strategies/common/row_order.h"

#include <numeric>

namespace gdbench::strategies {

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
