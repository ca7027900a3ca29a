#include "implementations/strategies/common/column_masks.h"

#include <vector>

#include "implementations/loader/batch_loader.h"

namespace gdbench::strategies {
namespace {

template <class Entry>
backends::Buffer make_ones(Session& session, std::int64_t rows, std::int64_t outputs) {
  std::vector<Entry> entries(static_cast<std::size_t>(rows * outputs + outputs - 1));
  const auto stride = static_cast<std::size_t>(outputs);
  for (std::size_t i = stride - 1; i < entries.size(); i += stride) entries[i] = 1;
  const std::size_t bytes = entries.size() * sizeof(Entry);
  const backends::Buffer buffer = session.allocate(bytes);
  session.upload(buffer, entries.data(), bytes);
  return buffer;
}

}  // namespace

ColumnMasks::ColumnMasks(Session& session, catalogue::Dtype dtype, std::int64_t rows, std::int64_t outputs)
    : session_(session), dtype_(dtype), outputs_(outputs), ones_(catalogue::with_element(dtype, [&](auto zero) {
        return make_ones<decltype(zero)>(session, rows, outputs);
      })) {}

Matrix ColumnMasks::mask(std::int64_t column, std::int64_t rows) const {
  const auto first = static_cast<std::size_t>(outputs_ - 1 - column);
  return {session_.slice(ones_, first * catalogue::size_of(dtype_)), rows, outputs_};
}

}  // namespace gdbench::strategies
