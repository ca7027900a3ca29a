// What an op costs by formula, for profiles: floating-point operations and the bytes that the algorithm reads and
// writes, caches aside.
#pragma once

#include "implementations/backends/common/ops.h"

namespace gdbench::strategies {

struct OpCost {
  double flops = 0;  // a fused multiply-add counts twice; a division, a root or a transcendental function once
  double bytes = 0;
};

OpCost cost_of(const backends::Request& request);

}  // namespace gdbench::strategies
