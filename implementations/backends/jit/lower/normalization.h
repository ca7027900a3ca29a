// Normalisation of rows, and its gradient.
#pragma once

#include "implementations/backends/jit/lower/entries.h"

namespace gdbench::backends::jit {

// The group of a node that is one.
void lower_normalization(Context& context, GroupWriter& writer);

// 1 / sqrt(variance + epsilon)
Register normalizing_factor(Context& context, Register variance);

}  // namespace gdbench::backends::jit
