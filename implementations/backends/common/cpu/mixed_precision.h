// Ops of a mixed dtype: what they multiply, and what tells a derivative, is rounded before (docs/arithmetic.md, "Mixed
// precision").
#pragma once

#include <cstdint>

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::cpu {

// Numbers of bfloat16: the upper half of a float's bits.
using Bfloat16 = std::uint16_t;

// To the nearest bfloat16, ties to even; a NaN stays one. The numbers lie in `rows` rows of `columns`, `stride` apart
// in `from` and without gaps in `to`.
void round_to_bfloat16(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, Bfloat16* to);
// The same as floats.
void round_to_bfloat16(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* to);

// The op on rounded copies of its operands, by the call that `bind` makes of the request in the uniform dtype of its
// elements; empty or with a reason where that one is. May throw std::bad_alloc.
Binding bind_rounding(const Request& request, Binding (*bind)(const Request& request));

}  // namespace gdbench::backends::cpu
