// Ops of a mixed dtype: operands of products and arguments of derivatives are rounded before (docs/arithmetic.md).
#pragma once

#include <cstdint>

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::cpu {

// Numbers of bfloat16: the upper half of a float's bits.
using Bfloat16 = std::uint16_t;

// To the nearest bfloat16, ties to even; a NaN stays one. The numbers lie in `rows` rows of `columns`, `stride` apart
// in `from` and without gaps in `to`.
void round_to_bfloat16(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, Bfloat16* to);

// The op on copies of its operands that were rounded as the dtype has it, by the call that `bind` makes of the request
// in the uniform dtype of its elements; and the gradient of a loss times its scale. Empty or with a reason where that
// call is. An update also rounds its parameter where the request says so. May throw std::bad_alloc.
Binding bind_rounding(const Request& request, Binding (*bind)(const Request& request));

// LossScalingFunctions::unscale.
bool unscale(float* values, std::int64_t count, float scale);

}  // namespace gdbench::backends::cpu
