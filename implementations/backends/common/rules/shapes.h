// The shape rule of each op, as ops.h states them.
#pragma once

#include <string>

#include "implementations/backends/common/ops.h"

namespace gdbench::backends {

// Empty where the operands fit together, otherwise one line that says which do not.
std::string shape_error(const Request& request);

// Slots of the request's optimizer; 0 without one.
std::size_t slots_of(const Request& request);

// m, n, k of a product: C[m,n] = op(A)[m,k] op(B)[k,n].
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};
ProductShape product_shape(const Request& request);

}  // namespace gdbench::backends
