// Which rows are the batch of step t: the rule at gdbench_data.order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench::loader {

struct BatchPlan {
  const gdbench_data* data = nullptr;
  std::int64_t batch_rows = 0;
  bool labels = false;  // targets are int32 class indices

  std::int64_t steps_per_epoch() const { return (data->rows + batch_rows - 1) / batch_rows; }
  // Position of a step's first row within its epoch.
  std::int64_t first(std::int64_t step) const { return step % steps_per_epoch() * batch_rows; }
  std::int64_t rows(std::int64_t step) const { return std::min(batch_rows, data->rows - first(step)); }
  // Indices of a step's rows; null where they are contiguous and begin at first(step).
  const std::uint32_t* index(std::int64_t step) const {
    if (data->order == nullptr) return nullptr;
    return data->order + step / steps_per_epoch() % data->epochs * data->rows + first(step);
  }

  std::size_t element_bytes() const { return size_of(catalogue::dtype_of(*data)); }
  std::size_t x_row_bytes() const { return static_cast<std::size_t>(data->features) * element_bytes(); }
  std::size_t target_row_bytes() const {
    return labels ? sizeof(std::int32_t) : static_cast<std::size_t>(data->outputs) * element_bytes();
  }
  const std::byte* x() const { return static_cast<const std::byte*>(data->x); }
  const std::byte* targets() const {
    return labels ? reinterpret_cast<const std::byte*>(data->labels) : static_cast<const std::byte*>(data->y);
  }
};

}  // namespace gdbench::loader
