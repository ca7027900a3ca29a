// The features of resident data in compressed sparse rows: made once from the dense array, zeros left out, then handed
// out batch by batch. BatchLoader goes on to deliver the targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/loader/batch_plan.h"

namespace gdbench::loader {

class CsrFeatures {
 public:
  // Row i's entries are those from row_offsets[i] to row_offsets[i + 1], which need not start at 0.
  struct Rows {
    const std::int32_t* row_offsets = nullptr;
    const std::int32_t* column_indices = nullptr;
    const std::byte* values = nullptr;
  };

  // `data` must outlive it; batches are the rank's rows. Throws Failure: GDBENCH_UNSUPPORTED for streamed data and for
  // more entries than a 32-bit offset counts.
  CsrFeatures(const gdbench_data& data, Batching batch, const Rank& rank = {});

  // All rows from `first` on.
  Rows rows_from(std::int64_t first) const {
    return {row_offsets_.data() + first, column_indices_.data(), values_.data()};
  }

  // The rows of the batch of a step counted from 0, by the rule at gdbench_data.order. Never allocates. A gathered
  // batch is valid until the next call.
  Rows batch(std::int64_t step);

  // Entries that `rows` rows store on average.
  double mean_entries(std::int64_t rows) const;
  // Bytes of one entry: its value and its column.
  std::size_t entry_bytes() const { return plan_.element_bytes() + sizeof(std::int32_t); }

 private:
  template <class T>
  void compress();
  void allocate_gathered();

  const gdbench_data& data_;
  BatchPlan plan_;
  std::vector<std::int32_t> row_offsets_;  // [rows + 1]
  std::vector<std::int32_t> column_indices_;
  std::vector<std::byte> values_;
  // The same of a gathered batch, as large as the batch with the most entries.
  std::vector<std::int32_t> gathered_offsets_;
  std::vector<std::int32_t> gathered_indices_;
  std::vector<std::byte> gathered_values_;
};

}  // namespace gdbench::loader
