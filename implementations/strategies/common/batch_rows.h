// Which rows a step works on: the parts of a batch, and the batch's rows by their numbers in the data.
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/loader/batch_plan.h"

namespace gdbench::strategies {

// Gradient accumulation: consecutive rows of a batch that is processed in parts (gdbench_problem.micro_batches). The
// batch's mean loss is the sum over its parts, those of all ranks, of weight times their mean loss.
struct MicroBatch {
  std::int64_t first = 0;  // of the rank's rows
  std::int64_t rows = 0;
  double weight = 1;  // its part of the batch's rows
};

// The rank's rows of a batch of `rows` rows in `count` parts, none of them empty: fewer parts if there are fewer rows.
std::vector<MicroBatch> micro_batches(std::int64_t rows, std::int64_t count, const loader::Rank& rank = {});

// Rows of the largest part.
inline std::int64_t largest_micro_batch(std::int64_t rows, std::int64_t count, const loader::Rank& rank = {}) {
  return loader::part_of_rows(rank.part_of(rows).rows, 0, count).rows;
}

// The rows of each step's batch, also where nothing shuffles them.
class RowOrder {
 public:
  // `numbered`: rows get numbers although they lie together, so that they identify every step's batch. `labels`:
  // the targets are labels. A step's rows are the rank's. `data` must outlive this.
  RowOrder(const gdbench_data& data, loader::Batching batch, bool labels, bool numbered, const loader::Rank& rank = {});
  RowOrder(const RowOrder&) = delete;  // the plan points into it
  RowOrder& operator=(const RowOrder&) = delete;

  // Whether index is for every step; otherwise the rows lie together.
  bool has_numbers() const { return ordered_.order != nullptr; }
  // The rows of a step, [rows of its batch] in the host's memory.
  const std::uint32_t* index(std::int64_t step) const { return plan_.index(step); }
  // The rows of all steps of all epochs, step after step.
  const gdbench_data& data() const { return ordered_; }
  const loader::BatchPlan& plan() const { return plan_; }

 private:
  std::vector<std::uint32_t> identity_;
  gdbench_data ordered_;  // the data with an order, which may be the identity
  loader::BatchPlan plan_;
};

}  // namespace gdbench::strategies
