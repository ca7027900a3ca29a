// Sums over rows, and the gradient of the cross-entropy of softmax.
#pragma once

#include "implementations/backends/jit/lower/entries.h"

namespace gdbench::backends::jit {

void lower_column_sum(Context& context, GroupWriter& writer);
// D = alpha (softmax(P) - one-hot(labels)), row by row.
void lower_softmax_gradient(Context& context, GroupWriter& writer);

}  // namespace gdbench::backends::jit
