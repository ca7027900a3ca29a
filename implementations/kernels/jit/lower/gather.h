// The rows of a step's batch that lie anywhere in the data.
#pragma once

#include "implementations/kernels/jit/lower/context.h"

namespace gdbench::kernels::jit {

// Copies what somebody reads otherwise than row by row; the first layer's product finds its rows by their numbers.
void gather(Context& context);

}  // namespace gdbench::kernels::jit
