// Sums in several orders, and roundings of operands.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/abi/processor.h"
#include "tests/support/verify/other_implementation.h"

namespace gdbench::verify::testing {

template <class T>
T pairwise_sum(const T* terms, std::size_t count) {
  if (count == 0) return T(0);
  if (count == 1) return terms[0];
  return pairwise_sum(terms, count / 2) + pairwise_sum(terms + count / 2, count - count / 2);
}

inline double cut_to_tf32(double value) { return value; }
inline float cut_to_tf32(float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU); }

// To the nearest bfloat16, ties to even, or to the next one towards zero.
inline float rounded_to_bfloat16(float value, bool cut) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (!cut) bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

// To the nearest binary16 or the next one towards zero, which is what the compiler's own type is for.
inline float rounded_to_binary16(float value, bool cut) {
  const auto nearest = static_cast<processor::Binary16>(value);
  const auto result = static_cast<float>(nearest);
  if (!cut || std::abs(result) <= std::abs(value)) return result;
  return static_cast<float>(
      std::bit_cast<processor::Binary16>(static_cast<std::uint16_t>(std::bit_cast<std::uint16_t>(nearest) - 1)));
}

// Sum of a[i] * b[i].
template <class T>
T dot(std::vector<T> a, std::vector<T> b, Summation summation) {
  T sum = 0;
  switch (summation) {
    case Summation::reversed:
      std::reverse(a.begin(), a.end());
      std::reverse(b.begin(), b.end());
      [[fallthrough]];
    case Summation::forward:
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    case Summation::fused:
      for (std::size_t i = 0; i < a.size(); ++i) sum = std::fma(a[i], b[i], sum);
      return sum;
    case Summation::tf32:
      for (std::size_t i = 0; i < a.size(); ++i) sum += cut_to_tf32(a[i]) * cut_to_tf32(b[i]);
      return sum;
    case Summation::pairwise:
      for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
      return pairwise_sum(a.data(), a.size());
    case Summation::blocked: {
      T lanes[8] = {};
      for (std::size_t i = 0; i < a.size(); ++i) lanes[i % 8] += a[i] * b[i];
      for (const T lane : lanes) sum += lane;
      return sum;
    }
  }
  return sum;
}

}  // namespace gdbench::verify::testing
