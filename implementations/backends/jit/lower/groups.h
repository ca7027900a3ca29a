// Nodes that are computed together, entry by entry: a root, and what is elementwise in its result and those that
// follow, which then needs no memory unless another node reads it.
#pragma once

#include <vector>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

struct Group {
  std::vector<NodeIndex> nodes;  // in the order of execution, the root first
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// add_bias, activation, activation_gradient, combine, multiply, update, and the gradient of a squared error.
bool is_elementwise(const Node& node);

// Which nodes may join the group of their operands; the others are groups of their own.
struct Fusion {
  bool elementwise = true;
  bool updates = true;
};

// Of the nodes from `first` on and before `last`, in an order of execution.
std::vector<Group> make_groups(const Region& region, NodeIndex first, NodeIndex last, const Fusion& fusion);

// Sums over rows that follow the entries that they sum: while a group is computed, column by column, what its entries
// or those next to them add to biases' and an output's gradients is added up in registers.
struct SumEpilogues {
  explicit SumEpilogues(std::size_t groups) : taken(groups), is_taken(groups, false) {}

  std::vector<std::vector<std::size_t>> taken;  // by group: those that it takes along
  std::vector<bool> is_taken;                   // by group: another one takes it along
};

// Of groups in an order of execution.
SumEpilogues find_sum_epilogues(const Context& context, const std::vector<Group>& groups);

}  // namespace gdbench::backends::jit
