// What elementwise ops and the epilogues of products share.
#pragma once

#include "implementations/backends/common/ops.h"
#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/launch.h"

namespace gdbench::backends::cuda {

inline std::int64_t size_of(const Operand& operand) { return operand.rows * operand.columns; }

template <class T, class Function>
struct Apply {
  GDBENCH_HOST_DEVICE T operator()(T z) const { return Function::template value<T>(z); }
};

// Calls visit with an activation's rule and returns what it returns.
template <class Visitor>
decltype(auto) with_activation(Activation activation, Visitor visit) {
  return catalogue::with(activation, [&](auto value) -> decltype(auto) { return visit(RuleOf<value.value>{}); });
}

// The same of a loss whose columns are not coupled; null for others.
template <class Visitor>
OwnedCall* with_loss_of_entries(Loss loss, Visitor visit) {
  return catalogue::with(loss, [&](auto value) -> OwnedCall* {
    if constexpr (kCouplesColumns<decltype(value)::value>) {
      return nullptr;
    } else {
      return visit(RuleOf<decltype(value)::value>{});
    }
  });
}

// z[i, j] = function(z[i, j] + bias[j])
template <class T, class Function>
struct BiasMap {
  const T* bias;
  T* z;
  std::int64_t columns;
  Function function;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const { z[i] = function(z[i] + bias[i % columns]); }
};

template <class T, class Function>
void launch_bias(cudaStream_t stream, const Operand& z, const T* bias, T* at, Function function) {
  launch_entries(stream, size_of(z), BiasMap<T, Function>{bias, at, z.columns, function});
}

}  // namespace gdbench::backends::cuda
