// The numbers that a dtype's products multiply (docs/arithmetic.md, "Mixed precision"): the device's own types, and on
// a host that emulates it the compiler's. Conversions round to the nearest, ties to even.
#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
#include <bit>
#include <cstdint>

#include "harness/abi/processor.h"
#include "implementations/common/mixed_precision/narrow_formats.h"
#endif

#include <type_traits>

#include "harness/abi/catalogue.h"
#include "implementations/backends/common/rules/rule_of.h"

namespace gdbench::backends::cuda {

using catalogue::Dtype;

#ifdef __CUDACC__
using Bfloat16 = __nv_bfloat16;
using Binary16 = __half;
#else
struct Bfloat16 {
  Bfloat16() = default;
  explicit Bfloat16(float value)
      : bits(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(implementations::rounded_to_bfloat16(value)) >>
                                        16)) {}
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  std::uint16_t bits;
};
using Binary16 = processor::Binary16;
#endif

template <Dtype dtype>
using OperandOf =
    std::conditional_t<dtype == Dtype::bf16, Bfloat16,
                       std::conditional_t<dtype == Dtype::f16, Binary16, typename catalogue::ElementOf<dtype>::Type>>;

// In which products of such operands are added up, and all else is stored.
template <class Number>
using SumOf = std::conditional_t<std::is_same_v<Number, double>, double, float>;

template <class Number>
inline constexpr bool kIsNarrow = !std::is_same_v<Number, SumOf<Number>>;

// A number as a product has it.
template <class Number>
GDBENCH_HOST_DEVICE SumOf<Number> as_operand(SumOf<Number> value) {
  return static_cast<SumOf<Number>>(static_cast<Number>(value));
}

// The same where a kernel gets its dtype at run time.
template <class T>
GDBENCH_HOST_DEVICE T as_operand_of(Dtype dtype, T value) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == Dtype::bf16) return as_operand<Bfloat16>(value);
    if (dtype == Dtype::f16) return as_operand<Binary16>(value);
  }
  return value;
}

// Calls visit with a zero of the dtype's operands and returns what it returns.
template <class Visitor>
decltype(auto) with_operand(Dtype dtype, Visitor visit) {
  return catalogue::with(dtype, [&](auto value) -> decltype(auto) { return visit(OperandOf<value.value>(0.0F)); });
}

}  // namespace gdbench::backends::cuda
