// Tiny models without loops: every entry of every matrix is a scalar, and parameters and slots stay in registers over
// all steps.
#pragma once

#include <cstdint>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// Multiplications of a step's products, which is how many instructions its lowering to scalars has, roughly.
std::int64_t scalar_size(const Region& region);

// Writes all steps.
void lower_to_scalars(Context& context);

}  // namespace gdbench::backends::jit
