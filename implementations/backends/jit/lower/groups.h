// Nodes that are computed together, entry by entry: a root, and what is elementwise in its result and those that
// follow, which then needs no memory unless somebody else reads it.
#pragma once

#include <vector>

#include "implementations/backends/jit/region/region.h"

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

}  // namespace gdbench::backends::jit
