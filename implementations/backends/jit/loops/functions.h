// Elementary functions out of additions, multiplications and powers of two, lane by lane, for f32 and f64.
//
// Their errors against the exact value, as a test measures them over all of their ranges, are at most 2 ulp for exp, 3
// ulp for sigmoid and tanh, and 7 ulp for the normal distribution. Results that are no normal numbers become 0; a NaN
// stays one.
#pragma once

#include "implementations/backends/jit/loops/builder.h"

namespace gdbench::backends::jit {

// e^x.
Register exponential(Builder& builder, Register x);
// 1 / (1 + e^-x).
Register sigmoid(Builder& builder, Register x);
Register hyperbolic_tangent(Builder& builder, Register x);
// At z: the normal distribution, erfc(-z / sqrt(2)) / 2, and its density, e^(-z^2 / 2) / sqrt(2 pi).
struct Normal {
  Register distribution;
  Register density;
};
Normal normal(Builder& builder, Register z);

}  // namespace gdbench::backends::jit
