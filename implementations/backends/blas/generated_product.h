// Products by libxsmm, which generates code for one shape at a time.
#pragma once

#include <string>

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::blas {

// Whether this build has libxsmm.
bool generates();

// Its version, and the processor that it generates code for. For builds that have it, as what follows.
std::string start_generator();

// A product, as libxsmm's own users make it from what it has: C = A B and C = A' B, with alpha 1 and beta 0 or 1.
// A transposed B is transposed by libxsmm into memory of the call, and other factors take a pass over C. Code is not
// blocked for caches: libxsmm itself would call a BLAS for products of more than 64^3 multiplications.
cpu::Binding bind_generated_product(const Request& request);

}  // namespace gdbench::backends::blas
