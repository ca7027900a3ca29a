// The rows of each step's batch by their numbers in the data, also where nothing shuffles them.
#pragma once

#include <cstdint>
#include <vector>

#include "implementations/loader/batch_plan.h"

namespace gdbench::strategies {

class RowOrder {
 public:
  // `numbered`: rows get numbers although they lie together, so that every step's batch can be told by them. `labels`:
  // the targets are labels. `data` must outlive this.
  RowOrder(const gdbench_data& data, std::int64_t batch_rows, bool labels, bool numbered);
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
  gdbench_data ordered_;  // the data with an order, though it be the identity's
  loader::BatchPlan plan_;
};

}  // namespace gdbench::strategies
