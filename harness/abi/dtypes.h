// Part of the catalogue: the dtypes, and how the mixed ones round and scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gdbench/plugin.h"

namespace gdbench::catalogue {

enum class Dtype : std::int32_t { f32 = GDBENCH_F32, f64 = GDBENCH_F64, bf16 = GDBENCH_BF16, f16 = GDBENCH_F16 };

// Binary floating-point numbers: 0, subnormals, and normal ones from 2^least_exponent to below 2^(greatest_exponent+1).
struct NumberFormat {
  int bits = 0;  // of the significand, the hidden bit included
  int least_exponent = 0;
  int greatest_exponent = 0;
};
inline constexpr NumberFormat kBfloat16 = {8, -126, 127};
inline constexpr NumberFormat kBinary16 = {11, -14, 15};

// A dtype is uniform, all its arithmetic is that of its elements, or mixed: products round their operands first.
struct DtypeRow {
  Dtype value;
  const char* name;
  std::size_t bytes;           // of an element of data and states
  NumberFormat operands = {};  // what a mixed one's products multiply; of others no bits
  bool scales_loss = false;    // gradients would leave the operands' range
};
inline constexpr DtypeRow kDtypes[] = {{Dtype::f32, "f32", sizeof(float)},
                                       {Dtype::f64, "f64", sizeof(double)},
                                       {Dtype::bf16, "bf16", sizeof(float), kBfloat16},
                                       {Dtype::f16, "f16", sizeof(float), kBinary16, true}};

// How the scale of the loss begins and grows; see docs/arithmetic.md.
struct LossScaling {
  double initial = 65536;  // a power of two
  std::int64_t growth_interval = 2000;
};

// How parameters are rounded to a mixed dtype's operands after every update, if at all; see docs/arithmetic.md.
enum class ParameterRounding { none, nearest, stochastic };

// The type of an element of data and states, in which all is computed but products' operands.
template <Dtype dtype>
struct ElementOf {
  using Type = std::conditional_t<dtype == Dtype::f64, double, float>;
};

}  // namespace gdbench::catalogue
