// Elementary functions out of additions, multiplications and powers of two, lane by lane, for f32 and f64.
//
// Their errors against the exact value, as a test measures them over all of their ranges, are at most 2 ulp for exp
// and softplus's slope, 3 ulp for sigmoid and tanh, 4 ulp for softplus, and 7 ulp for the normal distribution.
// Subnormal results become 0; a NaN stays one.
#pragma once

#include "implementations/backends/jit/loops/builder.h"

namespace gdbench::backends::jit {

// e^x.
Register exponential(Builder& builder, Register x);
// 1 / (1 + e^-x).
Register sigmoid(Builder& builder, Register x);
Register hyperbolic_tangent(Builder& builder, Register x);
// log(1 + e^x), and its derivative 1 - e^-a where it is a.
Register softplus(Builder& builder, Register x);
Register softplus_slope(Builder& builder, Register a);
// At z: the normal distribution, erfc(-z / sqrt(2)) / 2, and its density, e^(-z^2 / 2) / sqrt(2 pi).
struct Normal {
  Register distribution;
  Register density;
};
Normal normal(Builder& builder, Register z);

// Refined by one of Newton's steps from estimates, which takes multipliers instead of the divider: of f32 in vectors,
// where the processor has AVX-512. 1 / a for normal numbers up to 2^126 and their negatives, off by at most 0.6 ulp.
Register refined_reciprocal(Builder& builder, Register a);
// sqrt(max(a, 2^-126)) for finite numbers, off by at most 1 ulp. The infinite one gives a NaN.
Register refined_root(Builder& builder, Register a);

}  // namespace gdbench::backends::jit
