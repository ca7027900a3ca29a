// What rewrites a region before it is lowered.
#pragma once

#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

// The policy +hoisted: what a linear regression computes of a batch that is the same in all steps, computed once.
// Writes the gradients of P = X W + b with a squared error as c (X'X W + X'1 b - X'Y) and c (1'X W + n b - 1'Y), whose
// products over rows are HoistedProducts; a step then reads no batch. False, and the region as it was, where it is no
// linear regression on a constant batch.
bool hoist(Region& region);

// Mixed precision, in words: what products read, what tells a derivative and what is summed over rows is a value of its
// own, that a node rounds to bfloat16 or that is an input's, rounded (Value::rounded). The region is mixed no more.
void round_operands(Region& region);
// The same of what tells derivatives other than those of relu and its like, which see the sign alone: for products that
// round by themselves. The region stays mixed.
void round_what_tells_slopes(Region& region);

// Puts what only updates read, and the updates themselves, behind everything else: a parameter is then read for the
// last time before its gradient is computed, which may be written into the parameter at once.
void sink_gradients(Region& region);

// Batches of one row: each entry of a gradient is a single product, and the sum of a gradient's rows is its row.

// Whether the node is a product of a column and a row, without anything that is added to it.
bool is_unit_product(const Region& region, const Node& node);

// Readers of the sum of a single row read the row. Returns how many such sums there were.
std::size_t drop_sums_of_one_row(Region& region);

// Where a gradient is a unit product, and all updates are those of plain gradient descent, the gradient of the
// loss takes minus the learning rate as a factor (Region::gradients_descend): it reaches all others from there, and
// what was a multiplication for each entry of a parameter is one for each output. Returns the number of new additions.
std::size_t fold_rate(Region& region);

}  // namespace gdbench::backends::jit
