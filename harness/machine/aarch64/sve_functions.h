// What vector_kernels_body.h leaves to instructions of SVE, whose vectors' length the compiler knows.
#pragma once

#include <arm_sve.h>

namespace gdbench::machine {

namespace {

typedef svfloat32_t SveFloats __attribute__((arm_sve_vector_bits(GDBENCH_VECTOR_BYTES * 8)));
typedef svfloat64_t SveDoubles __attribute__((arm_sve_vector_bits(GDBENCH_VECTOR_BYTES * 8)));

GDBENCH_INLINE SveFloats sve(const Vector<float>& x) { return reinterpret_cast<SveFloats>(x); }
GDBENCH_INLINE SveDoubles sve(const Vector<double>& x) { return reinterpret_cast<SveDoubles>(x); }
GDBENCH_INLINE void store(SveFloats x, Vector<float>& result) { result = reinterpret_cast<Vector<float>>(x); }
GDBENCH_INLINE void store(SveDoubles x, Vector<double>& result) { result = reinterpret_cast<Vector<double>>(x); }

// As NEON's.
GDBENCH_INLINE void multiply_add(Vector<float>& a, const Vector<float>& m, const Vector<float>& c) {
  store(svmla_f32_x(svptrue_b32(), sve(a), sve(m), sve(c)), a);
}
GDBENCH_INLINE void multiply_add(Vector<double>& a, const Vector<double>& m, const Vector<double>& c) {
  store(svmla_f64_x(svptrue_b64(), sve(a), sve(m), sve(c)), a);
}

GDBENCH_INLINE void take_root(const Vector<float>& x, Vector<float>& root) {
  store(svsqrt_f32_x(svptrue_b32(), sve(x)), root);
}
GDBENCH_INLINE void take_root(const Vector<double>& x, Vector<double>& root) {
  store(svsqrt_f64_x(svptrue_b64(), sve(x)), root);
}

// Right to 8 bits, of 1 / x and of 1 / sqrt(x).
template <class T>
constexpr bool kHasEstimates = true;
GDBENCH_INLINE void estimate(const Vector<float>& x, Vector<float>& reciprocal) {
  store(svrecpe_f32(sve(x)), reciprocal);
}
GDBENCH_INLINE void estimate(const Vector<double>& x, Vector<double>& reciprocal) {
  store(svrecpe_f64(sve(x)), reciprocal);
}
GDBENCH_INLINE void estimate_of_root(const Vector<float>& x, Vector<float>& reciprocal) {
  store(svrsqrte_f32(sve(x)), reciprocal);
}
GDBENCH_INLINE void estimate_of_root(const Vector<double>& x, Vector<double>& reciprocal) {
  store(svrsqrte_f64(sve(x)), reciprocal);
}

// Newton's steps before the last one.
template <class T>
constexpr int kFirstSteps = sizeof(T) == sizeof(double) ? 2 : 1;

}  // namespace

}  // namespace gdbench::machine
