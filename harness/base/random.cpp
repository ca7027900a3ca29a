#include "harness/base/random.h"

#include <bit>
#include <cmath>

namespace gdbench {

namespace {

constexpr double kLog2 = 0.693147180559945309417232121458;

}  // namespace

std::uint64_t split_mix_64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  // The stream is mixed first, so that (seed, stream) and (seed + 1, stream - 1) have nothing in common.
  std::uint64_t mixed = stream;
  std::uint64_t state = stream == 0 ? seed : seed ^ split_mix_64(mixed);
  for (std::uint64_t& word : state_) word = split_mix_64(state);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  // The lowest 2^64 mod bound values are refused, so that each remainder has equally many sources.
  const std::uint64_t refused = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < refused) value = next();
  return value % bound;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u = 0;
  double v = 0;
  double square = 0;
  do {
    u = uniform(-1, 1);
    v = uniform(-1, 1);
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * reproducible_log(square) / square);
  spare_ = v * factor;
  has_spare_ = true;
  return u * factor;
}

double reproducible_exp(double x) {
  if (x > 709) return HUGE_VAL;
  if (x < -708) return 0;
  // x = k log 2 + r with |r| <= log(2) / 2; Taylor's series of r.
  const double k = std::floor(x / kLog2 + 0.5);
  const double r = x - k * kLog2;
  double sum = 1;
  for (int n = 14; n > 0; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

double reproducible_log(double x) {
  // x = m 2^k with m in [sqrt(1/2), sqrt(2)); log m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1).
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678118654752) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int n = 21; n >= 1; n -= 2) sum = sum * square + 1.0 / n;
  return k * kLog2 + 2 * s * sum;
}

double reproducible_tanh(double x) {
  if (x < 0) return -reproducible_tanh(-x);
  return 1 - 2 / (reproducible_exp(2 * x) + 1);
}

}  // namespace gdbench
