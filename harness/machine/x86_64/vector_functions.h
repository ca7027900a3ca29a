// What vector_kernels_body.h leaves to instructions of x86-64: SSE2's, AVX2's or AVX-512's.
#pragma once

#include <immintrin.h>

#if GDBENCH_VECTOR_BYTES == 64
#define GDBENCH_INTRINSIC(name, type) _mm512_##name##_##type
#define GDBENCH_ESTIMATE(name, type) _mm512_##name##14_##type
#elif GDBENCH_VECTOR_BYTES == 32
#define GDBENCH_INTRINSIC(name, type) _mm256_##name##_##type
#define GDBENCH_ESTIMATE(name, type) _mm256_##name##_##type
#else
#define GDBENCH_INTRINSIC(name, type) _mm_##name##_##type
#define GDBENCH_ESTIMATE(name, type) _mm_##name##_##type
#endif

namespace gdbench::machine {

namespace {

// In a chain of them each waits for the one before it.
GDBENCH_INLINE void multiply_add(Vector<float>& a, const Vector<float>& m, const Vector<float>& c) { a = a * m + c; }
GDBENCH_INLINE void multiply_add(Vector<double>& a, const Vector<double>& m, const Vector<double>& c) { a = a * m + c; }

GDBENCH_INLINE void take_root(const Vector<float>& x, Vector<float>& root) { root = GDBENCH_INTRINSIC(sqrt, ps)(x); }
GDBENCH_INLINE void take_root(const Vector<double>& x, Vector<double>& root) { root = GDBENCH_INTRINSIC(sqrt, pd)(x); }

// Right to 12 bits, with AVX-512 to 14, of 1 / x and of 1 / sqrt(x).
GDBENCH_INLINE void estimate(const Vector<float>& x, Vector<float>& reciprocal) {
  reciprocal = GDBENCH_ESTIMATE(rcp, ps)(x);
}
GDBENCH_INLINE void estimate_of_root(const Vector<float>& x, Vector<float>& reciprocal) {
  reciprocal = GDBENCH_ESTIMATE(rsqrt, ps)(x);
}
#if GDBENCH_VECTOR_BYTES == 64
template <class T>
constexpr bool kHasEstimates = true;
GDBENCH_INLINE void estimate(const Vector<double>& x, Vector<double>& reciprocal) {
  reciprocal = GDBENCH_ESTIMATE(rcp, pd)(x);
}
GDBENCH_INLINE void estimate_of_root(const Vector<double>& x, Vector<double>& reciprocal) {
  reciprocal = GDBENCH_ESTIMATE(rsqrt, pd)(x);
}
#else
template <class T>
constexpr bool kHasEstimates = sizeof(T) == sizeof(float);
#endif

// Newton's steps before the last one.
template <class T>
constexpr int kFirstSteps = sizeof(T) == sizeof(double) ? 1 : 0;

}  // namespace

}  // namespace gdbench::machine
