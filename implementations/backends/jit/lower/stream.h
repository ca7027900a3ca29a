// Narrow models on many rows: one pass over the batch, in which the entries of a vector of rows go forward and backward
// in registers. Sums of gradients stay in registers; so do inputs and parameters where there is room.
#pragma once

#include "implementations/backends/jit/lower/row_blocks.h"

namespace gdbench::backends::jit {

// Registers that it can't do without, roughly: for sums, an entry of each column of the widest layer, and a few more.
std::int64_t registers_of_stream(const Region& region, const RowBlocks& blocks);

// Writes all steps, for one thread of those that share them. The batch's rows lie side by side. Every thread has the
// whole state in registers and updates it for itself, from sums that are exchanged.
void lower_to_stream(Context& context, const RowBlocks& blocks, const Share& share);

}  // namespace gdbench::backends::jit
