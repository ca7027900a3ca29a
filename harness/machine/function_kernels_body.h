// The functions of one vector width, included by vector_kernels_body.h: the fewest operations that are right to a few
// units in the last place. Nothing is spent on special values.
#pragma once

#include <iterator>

namespace gdbench::machine {

namespace {

template <class T>
struct ExponentialNumbers;

// Polynomials that were interpolated at Chebyshev's points: off by 1e-7 and 3e-16 of 2^r for |r| <= 1/2. `kMagic` is so
// large that a sum with it is rounded to a whole number, which is then in its lowest bits.
template <>
struct ExponentialNumbers<float> {
  using Whole = std::int32_t;
  static constexpr float kMagic = 0x1.8p23F;
  static constexpr int kMantissaBits = 23;
  static constexpr float kCoefficients[] = {1.00000007545489719F,   0.693147188026228781F,   0.240221074853083375F,
                                            0.0555035711421907782F, 0.00967603191832205408F, 0.00133908633646712344F};
};
template <>
struct ExponentialNumbers<double> {
  using Whole = std::int64_t;
  static constexpr double kMagic = 0x1.8p52;
  static constexpr int kMantissaBits = 52;
  static constexpr double kCoefficients[] = {1,
                                             0.693147180559949983,
                                             0.240226506959100982,
                                             0.0555041086644477192,
                                             0.00961812910760688853,
                                             0.00133335582301649739,
                                             0.000154035304417360502,
                                             0.0000152526572602008371,
                                             0.00000132154425879216897,
                                             1.02086902999583058e-7,
                                             7.07258594926922370e-9};
};

// e^x = 2^(n + r) with a whole n and x log2(e) = n + r.
struct Exponential {
  template <class T>
  GDBENCH_INLINE static void apply(const Vector<T>& x, Vector<T>& result) {
    using Numbers = ExponentialNumbers<T>;
    using Whole = Vector<typename Numbers::Whole>;
    constexpr auto kLog2OfE = static_cast<T>(1.44269504088896340736);
    constexpr int kDegree = std::size(Numbers::kCoefficients) - 1;
    const Vector<T> shifted = x * kLog2OfE + Numbers::kMagic;
    const Vector<T> r = x * kLog2OfE - (shifted - Numbers::kMagic);
    Vector<T> power = Vector<T>{} + Numbers::kCoefficients[kDegree];
#pragma GCC unroll 16
    for (int i = kDegree - 1; i >= 0; --i) power = power * r + Numbers::kCoefficients[i];
    const Whole scaled = reinterpret_cast<Whole>(power) + (reinterpret_cast<Whole>(shifted) << Numbers::kMantissaBits);
    result = reinterpret_cast<Vector<T>>(scaled);
  }
};

template <class T>
constexpr auto kNumerator = static_cast<T>(0.6180339887498949);

struct Division {
  template <class T>
  GDBENCH_INLINE static void apply(const Vector<T>& x, Vector<T>& result) {
    result = kNumerator<T> / x;
  }
};

struct Root {
  template <class T>
  GDBENCH_INLINE static void apply(const Vector<T>& x, Vector<T>& result) {
    take_root(x, result);
  }
};

// Each of Newton's steps doubles the bits; the last one is taken of the quotient or the root itself.
struct RefinedDivision {
  template <class T>
  GDBENCH_INLINE static void apply(const Vector<T>& x, Vector<T>& result) {
    Vector<T> reciprocal;
    estimate(x, reciprocal);
#pragma GCC unroll 2
    for (int step = 0; step < kFirstSteps<T>; ++step) reciprocal = reciprocal + reciprocal * (1 - x * reciprocal);
    const Vector<T> quotient = kNumerator<T> * reciprocal;
    result = quotient + reciprocal * (kNumerator<T> - x * quotient);
  }
};

struct RefinedRoot {
  template <class T>
  GDBENCH_INLINE static void apply(const Vector<T>& x, Vector<T>& result) {
    constexpr auto kHalf = static_cast<T>(0.5);
    Vector<T> reciprocal;
    estimate_of_root(x, reciprocal);
    Vector<T> root = x * reciprocal;
    Vector<T> half = reciprocal * kHalf;
#pragma GCC unroll 2
    for (int step = 0; step < kFirstSteps<T>; ++step) {
      const Vector<T> missing = kHalf - half * root;
      root = root + root * missing;
      half = half + half * missing;
    }
    result = root + half * (x - root * root);
  }
};

template <class T, class Function>
GDBENCH_VECTOR_TARGET [[gnu::noinline]] std::int64_t function(std::byte* buffer, std::int64_t passes) {
  constexpr std::int64_t kVectors = kFunctionBytes / 2 / kVectorBytes;
  constexpr std::int64_t kUnrolled = 4;
  const auto* __restrict x = reinterpret_cast<const Vector<T>*>(buffer);
  auto* __restrict y = reinterpret_cast<Vector<T>*>(buffer) + kVectors;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    for (std::int64_t i = 0; i < kVectors; i += kUnrolled) {
#pragma GCC unroll 4
      for (int v = 0; v < kUnrolled; ++v) Function::template apply<T>(x[i + v], y[i + v]);
    }
    asm volatile("" ::: "memory");
  }
  return passes * kFunctionBytes / 2 / static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

}  // namespace gdbench::machine
