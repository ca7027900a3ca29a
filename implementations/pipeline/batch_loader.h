// The one data loader of all native plugins: which rows belong to step t, and where they lie in host memory. It knows
// the C interface and nothing of backends.
//
// Today it reads resident arrays: whole, as contiguous slices, or gathered row by row where batches are shuffled.
// Further ways of reading (one sample at a time, streamed from disk, prefetched by a helper thread) belong here too, as
// classes beside BatchLoader with the same batch(step): strategies/batch_feed.h is their only caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gdbench/plugin.h"

namespace gdbench::pipeline {

struct Batch {
  const void* x = nullptr;        // [rows, features]
  const void* targets = nullptr;  // Y [rows, outputs], or int32 labels [rows]
  std::int64_t rows = 0;
  // Where a contiguous batch starts in the data; 0 for gathered ones.
  std::int64_t first_row = 0;
};

// Bytes of one element of a dtype.
std::size_t element_size(gdbench_dtype dtype);

class BatchLoader {
 public:
  // `data` must outlive the loader. Throws Failure: GDBENCH_UNSUPPORTED for streamed data, GDBENCH_INVALID where
  // batch_rows is not in [1, data.rows].
  BatchLoader(const gdbench_data& data, std::int64_t batch_rows);

  // The batch of a step counted from 0, by the rule at gdbench_data.order. Never allocates. A gathered batch is valid
  // until the next call.
  Batch batch(std::int64_t step);

  std::int64_t batch_rows() const { return batch_rows_; }
  std::int64_t steps_per_epoch() const { return steps_per_epoch_; }
  // Rows of the smaller last batch of an epoch; 0 where batch_rows divides the rows.
  std::int64_t partial_rows() const { return data_.rows % batch_rows_; }
  // Whether all steps see the same batch, in which case batch(0) says everything.
  bool full_batch() const { return steps_per_epoch_ == 1 && !gathers(); }
  // Whether batches are copied row by row into the loader's own buffers, whose addresses never change.
  bool gathers() const { return data_.order != nullptr; }

  std::size_t x_row_bytes() const { return x_row_bytes_; }
  std::size_t target_row_bytes() const { return target_row_bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  using AlignedBytes = std::unique_ptr<std::byte[], Free>;
  static AlignedBytes allocate(std::size_t bytes);

  const gdbench_data& data_;
  const std::byte* x_ = nullptr;
  const std::byte* targets_ = nullptr;
  std::int64_t batch_rows_ = 0;
  std::int64_t steps_per_epoch_ = 0;
  std::size_t x_row_bytes_ = 0;
  std::size_t target_row_bytes_ = 0;
  AlignedBytes gathered_x_;
  AlignedBytes gathered_targets_;
};

}  // namespace gdbench::pipeline
