// Sums over rows that follow the entries that they sum: while a group is computed, column by column, what its entries
// or those beside them add to biases' and an output's gradients is added up in registers.
#pragma once

#include <vector>

#include "implementations/backends/jit/lower/entries.h"

namespace gdbench::backends::jit {

struct SumEpilogues {
  explicit SumEpilogues(std::size_t groups) : taken(groups), is_taken(groups, false) {}

  std::vector<std::vector<std::size_t>> taken;  // by group: those that it takes along
  std::vector<bool> is_taken;                   // by group: another one takes it along
};

// Of groups in an order of execution.
SumEpilogues find_sum_epilogues(const Context& context, const std::vector<Group>& groups);

// Writes the group and those that it takes along.
void lower_with_sums(Context& context, const Group& group, const std::vector<Group>& sums);

}  // namespace gdbench::backends::jit
