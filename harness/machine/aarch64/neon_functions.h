// What vector_kernels_body.h leaves to instructions of NEON.
#pragma once

#include <arm_neon.h>

namespace gdbench::machine {

namespace {

// In a chain of them each waits for the one before it. A product is added to the chain, as in sums of products: NEON's
// multiply-add overwrites what it adds to, and would take a copy of `c` otherwise.
GDBENCH_INLINE void multiply_add(Vector<float>& a, const Vector<float>& m, const Vector<float>& c) {
  a = vfmaq_f32(a, m, c);
}
GDBENCH_INLINE void multiply_add(Vector<double>& a, const Vector<double>& m, const Vector<double>& c) {
  a = vfmaq_f64(a, m, c);
}

GDBENCH_INLINE void take_root(const Vector<float>& x, Vector<float>& root) { root = vsqrtq_f32(x); }
GDBENCH_INLINE void take_root(const Vector<double>& x, Vector<double>& root) { root = vsqrtq_f64(x); }

// Right to 8 bits, of 1 / x and of 1 / sqrt(x).
template <class T>
constexpr bool kHasEstimates = true;
GDBENCH_INLINE void estimate(const Vector<float>& x, Vector<float>& reciprocal) { reciprocal = vrecpeq_f32(x); }
GDBENCH_INLINE void estimate(const Vector<double>& x, Vector<double>& reciprocal) { reciprocal = vrecpeq_f64(x); }
GDBENCH_INLINE void estimate_of_root(const Vector<float>& x, Vector<float>& reciprocal) {
  reciprocal = vrsqrteq_f32(x);
}
GDBENCH_INLINE void estimate_of_root(const Vector<double>& x, Vector<double>& reciprocal) {
  reciprocal = vrsqrteq_f64(x);
}

// Newton's steps before the last one.
template <class T>
constexpr int kFirstSteps = sizeof(T) == sizeof(double) ? 2 : 1;

}  // namespace

}  // namespace gdbench::machine
