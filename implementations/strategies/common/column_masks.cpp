#include "implementations/strategies/common/column_masks.h"

#include <vector>

namespace gdbench::strategies {
ColumnMasks::ColumnMasks(Session& session, catalogue::Dtype dtype, std::int64_t rows, std::int64_t outputs)
    : session_(session), dtype_(dtype), outputs_(outputs) {
  catalogue::with_element(dtype, [&](auto zero) {
    std::vector<decltype(zero)> entries(static_cast<std::size_t>(rows * outputs + outputs - 1));
    const auto stride = static_cast<std::size_t>(outputs);
    for (std::size_t i = stride - 1; i < entries.size(); i += stride) entries[i] = 1;
    ones_ = session.allocate_filled(entries);
  });
}

Matrix ColumnMasks::mask(std::int64_t column, std::int64_t rows) const {
  const auto first = static_cast<std::size_t>(outputs_ - 1 - column);
  return {session_.slice(ones_, first * catalogue::size_of(dtype_)), rows, outputs_};
}

}  // namespace gdbench::strategies
