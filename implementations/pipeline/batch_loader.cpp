#include "implementations/pipeline/batch_loader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "implementations/failure.h"

namespace gdbench::pipeline {
namespace {

using implementations::Failure;

// Rows are short, so a copy of compile-time size is worth having where one fits.
void gather_rows(std::byte* to, const std::byte* from, const std::uint32_t* index, std::int64_t rows,
                 std::size_t row_bytes) {
  if (row_bytes == sizeof(std::uint32_t)) {
    for (std::int64_t row = 0; row < rows; ++row) {
      std::memcpy(to + static_cast<std::size_t>(row) * sizeof(std::uint32_t), from + index[row] * sizeof(std::uint32_t),
                  sizeof(std::uint32_t));
    }
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + static_cast<std::size_t>(row) * row_bytes, from + index[row] * row_bytes, row_bytes);
  }
}

}  // namespace

std::size_t element_size(gdbench_dtype dtype) { return dtype == GDBENCH_F32 ? sizeof(float) : sizeof(double); }

void BatchLoader::Free::operator()(std::byte* memory) const { std::free(memory); }

BatchLoader::AlignedBytes BatchLoader::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + GDBENCH_ALIGNMENT - 1) / GDBENCH_ALIGNMENT * GDBENCH_ALIGNMENT;
  void* memory = std::aligned_alloc(GDBENCH_ALIGNMENT, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);  // page faults belong here, not to the first step
  return AlignedBytes(static_cast<std::byte*>(memory));
}

BatchLoader::BatchLoader(const gdbench_data& data, std::int64_t batch_rows) : data_(data), batch_rows_(batch_rows) {
  if (data.stream != nullptr) throw Failure(GDBENCH_UNSUPPORTED, "streamed data");
  if (batch_rows < 1 || batch_rows > data.rows) {
    throw Failure(GDBENCH_INVALID,
                  "batch of " + std::to_string(batch_rows) + " rows, expected 1 to " + std::to_string(data.rows));
  }
  const std::size_t element = element_size(static_cast<gdbench_dtype>(data.dtype));
  x_ = static_cast<const std::byte*>(data.x);
  x_row_bytes_ = static_cast<std::size_t>(data.features) * element;
  if (data.labels != nullptr) {
    targets_ = reinterpret_cast<const std::byte*>(data.labels);
    target_row_bytes_ = sizeof(std::int32_t);
  } else {
    targets_ = static_cast<const std::byte*>(data.y);
    target_row_bytes_ = static_cast<std::size_t>(data.outputs) * element;
  }
  steps_per_epoch_ = (data.rows + batch_rows - 1) / batch_rows;
  if (gathers()) {
    gathered_x_ = allocate(static_cast<std::size_t>(batch_rows) * x_row_bytes_);
    gathered_targets_ = allocate(static_cast<std::size_t>(batch_rows) * target_row_bytes_);
  }
}

Batch BatchLoader::batch(std::int64_t step) {
  const std::int64_t first = step % steps_per_epoch_ * batch_rows_;
  const std::int64_t rows = std::min(batch_rows_, data_.rows - first);
  if (!gathers()) {
    const auto offset = static_cast<std::size_t>(first);
    return {x_ + offset * x_row_bytes_, targets_ + offset * target_row_bytes_, rows, first};
  }
  const std::int64_t epoch = step / steps_per_epoch_ % data_.epochs;
  const std::uint32_t* index = data_.order + epoch * data_.rows + first;
  gather_rows(gathered_x_.get(), x_, index, rows, x_row_bytes_);
  gather_rows(gathered_targets_.get(), targets_, index, rows, target_row_bytes_);
  return {gathered_x_.get(), gathered_targets_.get(), rows, 0};
}

}  // namespace gdbench::pipeline
