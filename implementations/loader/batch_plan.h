// Which rows are the batch of step t, by the rule at gdbench_data.order, and which of them are this process's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench::loader {

// Consecutive rows of a batch.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t rows = 0;
};

// Part `part` of `count` consecutive ones of `rows` rows: the first rows mod count of them have a row more than the
// others, as at gdbench_problem.micro_batches.
constexpr RowRange part_of_rows(std::int64_t rows, std::int64_t part, std::int64_t count) {
  const std::int64_t longer = std::min(part, rows % count);
  return {part * (rows / count) + longer, rows / count + (part < rows % count ? 1 : 0)};
}

// Which of the processes that train together this one is: rank `number` of `count`.
struct Rank {
  std::int64_t number = 0;
  std::int64_t count = 1;

  // Divides nothing where it is the only one: each step asks.
  constexpr RowRange part_of(std::int64_t rows) const {
    return count == 1 ? RowRange{0, rows} : part_of_rows(rows, number, count);
  }
};

inline Rank rank_of(const gdbench_settings& settings) {
  return settings.ranks == nullptr ? Rank() : Rank{settings.ranks->rank, settings.ranks->count};
}

// How an epoch's rows are divided.
struct Batching {
  std::int64_t rows = 0;    // of a batch, of all ranks
  bool drops_last = false;  // a smaller last batch is left out

  // NOLINTNEXTLINE(google-explicit-constructor): rows alone say it all where no batch is left out.
  constexpr Batching(std::int64_t rows_of_batch = 0, bool drops = false) : rows(rows_of_batch), drops_last(drops) {}
};

inline Batching batching_of(const gdbench_problem& problem) {
  return {problem.batch_rows, problem.drops_last_batch != 0};
}

// The rows of a step are those that this rank takes of the step's batch.
struct BatchPlan {
  const gdbench_data* data = nullptr;
  Batching batch = {};
  bool labels = false;  // targets are int32 class indices
  Rank rank = {};

  // Rows of the smaller last batch of an epoch; 0 where there is none.
  std::int64_t partial_rows() const { return batch.drops_last ? 0 : data->rows % batch.rows; }
  std::int64_t steps_per_epoch() const { return data->rows / batch.rows + (partial_rows() != 0 ? 1 : 0); }
  // Rows of the step's batch, of all ranks.
  std::int64_t whole_rows(std::int64_t step) const { return std::min(batch.rows, data->rows - first_of_batch(step)); }
  // Position of a step's first row within its epoch.
  std::int64_t first(std::int64_t step) const { return first_of_batch(step) + rank.part_of(whole_rows(step)).first; }
  std::int64_t rows(std::int64_t step) const { return rank.part_of(whole_rows(step)).rows; }
  std::int64_t most_rows() const { return rank.part_of(batch.rows).rows; }
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

 private:
  std::int64_t first_of_batch(std::int64_t step) const { return step % steps_per_epoch() * batch.rows; }
};

}  // namespace gdbench::loader
