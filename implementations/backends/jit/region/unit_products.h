// Batches of one row: each entry of a gradient is a single product, and the sum of a gradient's rows is its row.
#pragma once

#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

// Whether the node is a product of a column and a row, without anything that is added to it.
bool is_unit_product(const Region& region, const Node& node);

// Whoever read the sum of a single row reads the row. Returns how many such sums there were.
std::size_t drop_sums_of_one_row(Region& region);

// Where a gradient is a unit product, and all updates are those of plain gradient descent, the gradient of the
// loss takes minus the learning rate as a factor (Region::gradients_descend): it reaches all others from there, and
// what was a multiplication for each entry of a parameter is one for each output. Returns how many updates became
// additions.
std::size_t fold_rate(Region& region);

}  // namespace gdbench::backends::jit
