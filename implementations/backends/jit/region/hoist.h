// The policy +hoisted: what a linear regression computes of a batch that is the same in all steps, computed once.
#pragma once

#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

// Writes the gradients of P = X W + b with a squared error as c (X'X W + X'1 b - X'Y) and c (1'X W + n b - 1'Y), whose
// products over rows are HoistedProducts; a step then reads no batch. False, and the region as it was, where it is no
// linear regression on a constant batch.
bool hoist(Region& region);

}  // namespace gdbench::backends::jit
