// Floats rounded to bfloat16 by random numbers that are the same in every run (docs/arithmetic.md, "Mixed precision").
#pragma once

#include <bit>
#include <cstdint>

namespace gdbench::implementations {

// Output number `number`, from 0, of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (OOPSLA 2014).
inline std::uint64_t split_mix_64(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// Up, in magnitude, with a probability equal to the part that a bfloat16 has no bits for (Gupta et al., ICML 2015), by
// the upper 16 bits of `random`.
inline float rounded_stochastically(float value, std::uint64_t random) {
  const std::uint32_t moved = std::bit_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(random >> 48);
  return value != value ? value : std::bit_cast<float>(moved & 0xffff0000U);
}

}  // namespace gdbench::implementations
