// What becomes of a finished sum of a product: an entry of C by its bias and activation or by a gradient's factor, or
// the update of a layer's parameter whose gradient it is.
#pragma once

#include <cstdint>

#include "implementations/backends/cuda/narrow.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

// C's entry from the sum, and from what C held where beta is not 0.
template <class T>
struct Epilogue {
  T alpha = 1;
  T beta = 0;
  const T* bias = nullptr;                       // [columns], or none
  Activation activation = Activation::identity;  // applied, or differentiated where there is an `argument`
  const T* argument = nullptr;                   // [rows, columns], of its derivative,
  Dtype operands = Dtype::f32;                   // rounded as this dtype's operands
  // [rows, columns], of the loss whose gradient with respect to the sum C is, times `scale`.
  const T* targets = nullptr;
  Loss loss = Loss::mse;
  T huber_delta = 1;
  T scale = 1;

  GDBENCH_HOST_DEVICE T operator()(T sum, T before, std::int64_t entry, std::int64_t columns) const {
    T z[1] = {alpha * sum};
    if (beta != T(0)) z[0] += beta * before;
    if (bias != nullptr) z[0] += bias[entry % columns];  // a division, which takes longer than all else
    if (argument != nullptr) {
      const T one[1] = {as_operand_of(operands, argument[entry])};
      multiply_by_derivative(activation, one, z);
    } else if (targets != nullptr) {
      const T one[1] = {targets[entry]};
      take_loss_slope(loss, one, huber_delta, z);
      z[0] *= scale;
    } else {
      activate(activation, z);
    }
    return z[0];
  }
};

// Where the sums of a product go.
template <class T>
struct StoreElement {
  T* c;
  std::int64_t columns;
  Epilogue<T> epilogue;
  GDBENCH_HOST_DEVICE void fetch(std::int64_t entry) const {
    if (epilogue.argument != nullptr) fetch_ahead(epilogue.argument + entry);
    if (epilogue.targets != nullptr) fetch_ahead(epilogue.targets + entry);
  }
  GDBENCH_HOST_DEVICE void operator()(std::int64_t entry, T sum) const {
    // With beta 0, C is never read: it may hold anything.
    c[entry] = epilogue(sum, epilogue.beta != T(0) ? c[entry] : T(0), entry, columns);
  }
};

// The update of a parameter by its gradient.
template <class T>
struct ParameterUpdate {
  T* values = nullptr;
  T* slots[2] = {nullptr, nullptr};
  GDBENCH_HOST_DEVICE void operator()(OptimizerKind kind, Decay decay, const UpdateStep<T>& step, std::int64_t entry,
                                      T gradient) const {
    values[entry] = updated_by(kind, decay, step, values[entry], gradient, slots[0] + entry, slots[1] + entry);
  }
};

// A layer's parameters: first the gradients of all weights, then those of the bias.
template <class T>
struct StoreUpdate {
  UpdateConstants<T> constants;
  OptimizerKind kind;
  Decay decay;
  const UpdateScalars* scalars;
  std::int64_t weight_count;
  ParameterUpdate<T> weights;
  ParameterUpdate<T> bias;
  GDBENCH_HOST_DEVICE UpdateStep<T> prepare() const { return {constants, *scalars}; }
  GDBENCH_HOST_DEVICE void fetch(std::int64_t entry) const {
    fetch_ahead(scalars);
    fetch_ahead(entry < weight_count ? weights.values + entry : bias.values + (entry - weight_count));
  }

  GDBENCH_HOST_DEVICE void operator()(std::int64_t entry, T gradient) const { (*this)(prepare(), entry, gradient); }
  GDBENCH_HOST_DEVICE void operator()(const UpdateStep<T>& step, std::int64_t entry, T gradient) const {
    if (entry < weight_count) {
      weights(kind, decay, step, entry, gradient);
    } else {
      bias(kind, decay, step, entry - weight_count, gradient);
    }
  }
};

}  // namespace gdbench::backends::cuda
