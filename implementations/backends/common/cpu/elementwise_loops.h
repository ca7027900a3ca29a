// Bias, activations, column sums, normalisations, combinations and updates as plain loops over row-major arrays. The
// naive backend's kernels; other backends take those for which their library has nothing (or nothing faster), compiled
// with their own flags, of which -fno-math-errno is one: without it a square root is no vector instruction.
#pragma once

#include <cmath>

#include "implementations/backends/common/cpu/functions.h"
#include "implementations/backends/common/rules/activations.h"

namespace gdbench::backends::cpu {

template <class T>
void run_add_bias(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict bias = data<const T>(buffers[0]);
  T* __restrict z = data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) z[i * shape.columns + j] += bias[j];
  }
}

template <class T>
void run_column_sum(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict d = data<const T>(buffers[0]);
  T* __restrict sums = data<T>(buffers[1]);
  for (std::int64_t j = 0; j < shape.columns; ++j) sums[j] = 0;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) sums[j] += d[i * shape.columns + j];
  }
}

// Z and A may be the same buffer, so neither is restrict.
template <class T, class Function>
void run_activation(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* z = data<const T>(buffers[0]);
  T* a = data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.size(); ++i) a[i] = Function::value(z[i]);
}

template <class T, class Function>
void run_activation_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict a = data<const T>(buffers[0]);
  T* __restrict d = data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.size(); ++i) d[i] *= Function::derivative(a[i]);
}

// C may be A's or B's buffer here and below, so none is restrict.
template <class T>
void run_combine(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const CombineCall&>(*call);
  const T* a = data<const T>(buffers[0]);
  const T* b = data<const T>(buffers[1]);
  T* c = data<T>(buffers[2]);
  const T alpha = static_cast<T>(shape.alpha);
  const T beta = static_cast<T>(shape.beta);
  for (std::int64_t i = 0; i < shape.size(); ++i) c[i] = alpha * a[i] + beta * b[i];
}

template <class T>
void run_scale(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const CombineCall&>(*call);
  const T* a = data<const T>(buffers[0]);
  T* c = data<T>(buffers[2]);
  const T alpha = static_cast<T>(shape.alpha);
  for (std::int64_t i = 0; i < shape.size(); ++i) c[i] = alpha * a[i];
}

template <class T>
void run_multiply(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* a = data<const T>(buffers[0]);
  const T* b = data<const T>(buffers[1]);
  T* c = data<T>(buffers[2]);
  for (std::int64_t i = 0; i < shape.size(); ++i) c[i] = a[i] * b[i];
}

template <class T>
void run_scale_columns(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* scale = data<const T>(buffers[0]);
  const T* a = data<const T>(buffers[1]);
  T* c = data<T>(buffers[2]);
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) c[i * shape.columns + j] = scale[j] * a[i * shape.columns + j];
  }
}

// What a row is normalised by: (z - mean) * factor.
template <class T>
struct RowMoments {
  RowMoments(const T* z, std::int64_t columns) {
    for (std::int64_t j = 0; j < columns; ++j) mean += z[j];
    mean /= static_cast<T>(columns);
    T variance = 0;
    for (std::int64_t j = 0; j < columns; ++j) variance += (z[j] - mean) * (z[j] - mean);
    factor = T(1) / std::sqrt(variance / static_cast<T>(columns) + T(GDBENCH_LAYER_NORM_EPSILON));
  }
  T mean = 0;
  T factor = 0;
};

template <class T>
void run_normalize(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* z = data<const T>(buffers[0]);
  T* n = data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.rows; ++i, z += shape.columns, n += shape.columns) {
    const RowMoments<T> row(z, shape.columns);
    for (std::int64_t j = 0; j < shape.columns; ++j) n[j] = (z[j] - row.mean) * row.factor;
  }
}

// factor (d - mean(d) - n mean(d n))
template <class T>
void run_normalize_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict z = data<const T>(buffers[0]);
  T* __restrict d = data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.rows; ++i, z += shape.columns, d += shape.columns) {
    const RowMoments<T> row(z, shape.columns);
    T mean = 0;
    T correlation = 0;
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      mean += d[j];
      correlation += d[j] * (z[j] - row.mean);
    }
    mean /= static_cast<T>(shape.columns);
    correlation *= row.factor * row.factor / static_cast<T>(shape.columns);
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      d[j] = row.factor * (d[j] - mean - (z[j] - row.mean) * correlation);
    }
  }
}

// Every optimizer's update, one pass over memory.
template <class T, OptimizerKind kind, Decay decay>
void run_update(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const UpdateCall<T>&>(*call);
  const UpdateStep<T> step(self.constants, *data<const UpdateScalars>(buffers[1]));
  const T* __restrict gradient = data<const T>(buffers[0]);
  T* __restrict parameter = data<T>(buffers[2]);
  T* __restrict first = kSlots<kind> > 0 ? data<T>(buffers[3]) : nullptr;
  T* __restrict second = kSlots<kind> > 1 ? data<T>(buffers[4]) : nullptr;
  for (std::int64_t i = 0; i < self.size(); ++i) {
    parameter[i] = updated<kind, decay>(step, parameter[i], gradient[i], kSlots<kind> > 0 ? first + i : nullptr,
                                        kSlots<kind> > 1 ? second + i : nullptr);
  }
}

// `updates`: false for a backend that has its own, which would compile all of these for nothing.
template <class T, bool updates = true>
ElementwiseFunctions elementwise_loops() {
  ElementwiseFunctions functions = {
      .add_bias = run_add_bias<T>,
      .column_sum = run_column_sum<T>,
      .combine = run_combine<T>,
      .scale = run_scale<T>,
      .multiply = run_multiply<T>,
      .scale_columns = run_scale_columns<T>,
      .normalize = run_normalize<T>,
      .normalize_gradient = run_normalize_gradient<T>,
  };
  catalogue::for_each<Activation>([&](auto activation) {
    using Rule = RuleOf<activation.value>;
    entry_of(functions.activation, activation.value) = run_activation<T, Rule>;
    entry_of(functions.activation_gradient, activation.value) = run_activation_gradient<T, Rule>;
  });
  if constexpr (updates) {
    set_updates(functions, [](auto kind, auto decay) -> Run { return run_update<T, kind.value, decay.value>; });
  }
  return functions;
}

}  // namespace gdbench::backends::cpu
