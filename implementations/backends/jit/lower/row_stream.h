// A linear model of one output on wide rows: one pass over the batch, in which a few rows at a time give their outputs
// and then, still in the first cache, add to the gradient. Lanes are columns; narrower rows go the way of stream.h.
#pragma once

#include <optional>
#include <vector>

#include "implementations/backends/jit/lower/row_blocks.h"

namespace gdbench::backends::jit {

// The parts of such a step.
struct RowStream {
  ValueId x = 0;
  NodeIndex product = 0;                // x times the weights
  std::vector<NodeIndex> elementwise;   // from there to the outputs' gradient, an entry for each row
  ValueId error = 0;                    // that gradient
  NodeIndex gradient = 0;               // x' error
  std::optional<NodeIndex> column_sum;  // of the error
  std::int64_t rows = 0;                // that go together
};

// Nothing where the batch's nodes are others, or registers are too few.
std::optional<RowStream> find_row_stream(const Region& region, const RowBlocks& blocks, const Target& target);

// Writes the batch's nodes. Sums have their places, which it sets.
void lower_row_stream(Context& context, const RowBlocks& blocks, const RowStream& stream);

}  // namespace gdbench::backends::jit
