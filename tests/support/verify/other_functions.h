// Sums, roundings, activations and losses of the other implementation.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "harness/abi/processor.h"
#include "harness/scenario/problem.h"
#include "tests/support/verify/other_implementation.h"

namespace gdbench::verify::testing {

using scenario::Activation;
using scenario::Loss;

template <class T>
T pairwise_sum(const T* terms, std::size_t count) {
  if (count == 0) return T(0);
  if (count == 1) return terms[0];
  return pairwise_sum(terms, count / 2) + pairwise_sum(terms + count / 2, count - count / 2);
}

inline double cut_to_tf32(double value) { return value; }
inline float cut_to_tf32(float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU); }

// Output number `number` of a SplitMix64.
inline std::uint64_t split_mix_64(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

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

template <class T>
T twice_gelu_argument(T z) {
  return std::sqrt(8 / std::acos(T(-1))) * (z + T(0.044715L) * z * z * z);
}

template <class T>
T apply(Activation activation, T z) {
  switch (activation) {
    case Activation::identity:
      break;
    case Activation::relu:
      return std::max(z, T(0));
    case Activation::tanh:
      return std::tanh(z);
    case Activation::sigmoid:
      return T(1) / (T(1) + std::exp(-z));
    case Activation::leaky_relu:
      return std::max(z, z * T(0.01L));
    case Activation::silu:
      return z * apply(Activation::sigmoid, z);
    case Activation::gelu:
      return z - z * std::erfc(z / std::sqrt(T(2))) / 2;
    case Activation::gelu_tanh:
      return z * apply(Activation::sigmoid, twice_gelu_argument(z));
  }
  return z;
}

template <class T>
T slope(Activation activation, T z) {
  switch (activation) {
    case Activation::identity:
      break;
    case Activation::relu:
      return z > 0 ? T(1) : T(0);
    case Activation::tanh:
      return T(1) - std::tanh(z) * std::tanh(z);
    case Activation::sigmoid:
      return apply(activation, z) * (T(1) - apply(activation, z));
    case Activation::leaky_relu:
      return z > 0 ? T(1) : T(0.01L);
    case Activation::silu: {
      const T s = apply(Activation::sigmoid, z);
      return s + z * s * (1 - s);
    }
    case Activation::gelu:
      return 1 - std::erfc(z / std::sqrt(T(2))) / 2 + z * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(T(-1)));
    case Activation::gelu_tanh: {
      const T s = apply(Activation::sigmoid, twice_gelu_argument(z));
      return s +
             s * (1 - s) * (twice_gelu_argument(z) + std::sqrt(8 / std::acos(T(-1))) * 2 * T(0.044715L) * z * z * z);
    }
  }
  return T(1);
}

// The same told from f(z), where it can be.
template <class T>
T slope_at_result(Activation activation, T a) {
  if (activation == Activation::tanh) return (T(1) + a) * (T(1) - a);
  if (activation == Activation::sigmoid) return a - a * a;
  return slope(activation, a);  // relu, leaky_relu, identity, whose results have the sign of z
}

// Of a loss that is a mean over entries.
template <class T>
T term(const catalogue::LossFunction& loss, T p, T y) {
  switch (loss.kind) {
    case Loss::mse:
      return (p - y) * (p - y);
    case Loss::half_mse:
      return (p - y) * (p - y) / 2;
    case Loss::binary_cross_entropy:
      return (1 - y) * p + std::log1p(std::exp(-p));
    case Loss::huber: {
      const T near = std::min(std::abs(p - y), static_cast<T>(loss.huber_delta));
      return near * (std::abs(p - y) - near / 2);
    }
    case Loss::softmax_cross_entropy:
      break;
  }
  throw std::logic_error("no loss of entries");
}

template <class T>
T term_slope(const catalogue::LossFunction& loss, T p, T y) {
  switch (loss.kind) {
    case Loss::mse:
      return 2 * (p - y);
    case Loss::half_mse:
      return p - y;
    case Loss::binary_cross_entropy:
      return (std::tanh(p / 2) + 1) / 2 - y;
    case Loss::huber:
      return std::max(std::min(p - y, static_cast<T>(loss.huber_delta)), -static_cast<T>(loss.huber_delta));
    case Loss::softmax_cross_entropy:
      break;
  }
  throw std::logic_error("no loss of entries");
}

}  // namespace gdbench::verify::testing
