// Floats rounded to the formats of which a mixed dtype's products have their operands; the results are floats again.
// Written without branches, so that loops of them become vectors.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/abi/catalogue.h"

namespace gdbench::implementations {

// To the nearest number that has `dropped` bits fewer, ties to even. Not of a NaN, whose sign a carry might change.
inline float without_bits(float value, int dropped) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (1U << (dropped - 1)) - 1;
  const std::uint32_t nearest = bits + half + (bits >> dropped & 1);
  return std::bit_cast<float>(nearest >> dropped << dropped);
}

inline float rounded_to_bfloat16(float value) { return value != value ? value : without_bits(value, 16); }

// To infinity beyond the largest number, 65504.
inline float rounded_to_binary16(float value) {
  const float size = std::abs(value);
  // Below the least normal number, 2^-14, neighbours lie 2^-24 apart, as floats from 1/2 on do.
  const float subnormal = (size + 0.5F) - 0.5F;
  float rounded = size < 0x1p-14F ? subnormal : without_bits(size, 13);
  rounded = rounded > 65504.0F ? std::numeric_limits<float>::infinity() : rounded;
  return value != value ? value : std::copysign(rounded, value);
}

// What a dtype's products multiply in place of a float.
template <catalogue::Dtype dtype>
float operand_of(float value) {
  if constexpr (dtype == catalogue::Dtype::bf16) return rounded_to_bfloat16(value);
  if constexpr (dtype == catalogue::Dtype::f16) return rounded_to_binary16(value);
  return value;
}

}  // namespace gdbench::implementations
