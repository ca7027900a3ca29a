// The rows of a step's batch that lie anywhere in the data.
#pragma once

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// Copies what somebody reads otherwise than row by row; the first layer's product finds its rows by their numbers.
void gather(Context& context);

}  // namespace gdbench::backends::jit
