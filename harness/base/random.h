// Seeded random numbers that are the same on every machine: only integer operations and IEEE 754's exactly rounded
// ones (+ - * / sqrt) are used, neither the standard library's distributions nor its exp and log, whose last bit
// depends on the library and the processor.
#pragma once

#include <cstdint>

namespace gdbench {

// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014). Spreads a seed.
std::uint64_t split_mix_64(std::uint64_t& state);

// xoshiro256**: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (ACM TOMS 47, 2021), its state
// filled by SplitMix64 as the authors recommend.
class Random {
 public:
  // Different streams of one seed are independent sequences.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  // Multiples of 2^-53 in [0, 1).
  double uniform();
  // In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [0, bound), without bias; bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Standard normal, by the polar form of Box and Muller's method (Marsaglia and Bray, SIAM Review 6, 1964).
  double normal();

 private:
  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

// exp, log (of a positive, normal number) and tanh from series, reproducible, within a few units of the last place.
double reproducible_exp(double x);
double reproducible_log(double x);
double reproducible_tanh(double x);

}  // namespace gdbench
