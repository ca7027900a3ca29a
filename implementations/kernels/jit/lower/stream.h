// Narrow models on many rows: one pass over the batch, in which the entries of a vector of rows go forward and backward
// in registers. Each row is read once, parameters and sums of gradients stay in registers.
#pragma once

#include "implementations/kernels/jit/lower/row_blocks.h"

namespace gdbench::kernels::jit {

// Registers that it would take, roughly.
std::int64_t stream_size(const Region& region, const RowBlocks& blocks);

// Writes all steps, for one thread of those that share them. The batch's rows lie side by side. Every thread has the
// whole state in registers and updates it for itself, from sums that are exchanged.
void lower_to_stream(Context& context, const RowBlocks& blocks, const Share& share);

}  // namespace gdbench::kernels::jit
