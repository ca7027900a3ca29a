// Losses and their gradients as plain loops; see elementwise_loops.h.
#pragma once

#include <cmath>

#include "implementations/backends/common/cpu/functions.h"

namespace gdbench::backends::cpu {

// The sum over all entries, in double: P and Y [m,n].
template <class T, class Rule>
void run_loss_of_entries(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* __restrict p = data<const T>(buffers[0]);
  const T* __restrict y = data<const T>(buffers[1]);
  double sum = 0;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    sum += Rule::term(static_cast<double>(p[i]), static_cast<double>(y[i]), shape.huber_delta);
  }
  *data<double>(buffers[2]) = shape.scale * sum;
}

// G may be P's buffer.
template <class T, class Rule>
void run_gradient_of_entries(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* p = data<const T>(buffers[0]);
  const T* y = data<const T>(buffers[1]);
  T* g = data<T>(buffers[2]);
  const T scale = static_cast<T>(shape.scale);
  const T delta = static_cast<T>(shape.huber_delta);
  for (std::int64_t i = 0; i < shape.size(); ++i) g[i] = scale * Rule::slope(p[i], y[i], delta);
}

template <class T>
T largest(const T* row, std::int64_t columns) {
  T largest = row[0];
  for (std::int64_t j = 1; j < columns; ++j) largest = row[j] > largest ? row[j] : largest;
  return largest;
}

// Shifting by the row's largest logit keeps exp from overflowing and changes nothing else.
template <class T>
void run_cross_entropy(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* __restrict p = data<const T>(buffers[0]);
  const auto* __restrict labels = data<const std::int32_t>(buffers[1]);
  double total = 0;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const T* row = p + i * shape.columns;
    const T shift = largest(row, shape.columns);
    T sum = 0;
    for (std::int64_t j = 0; j < shape.columns; ++j) sum += std::exp(row[j] - shift);
    total += static_cast<double>(std::log(sum) - (row[labels[i]] - shift));
  }
  *data<double>(buffers[2]) = shape.scale * total;
}

// (softmax(P) - one_hot(label)) / m. G may be P's buffer.
template <class T>
void run_cross_entropy_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* p = data<const T>(buffers[0]);
  const auto* labels = data<const std::int32_t>(buffers[1]);
  T* g = data<T>(buffers[2]);
  const T scale = static_cast<T>(shape.scale);
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const T* logits = p + i * shape.columns;
    T* row = g + i * shape.columns;
    const T shift = largest(logits, shape.columns);
    T sum = 0;
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      row[j] = std::exp(logits[j] - shift);
      sum += row[j];
    }
    for (std::int64_t j = 0; j < shape.columns; ++j) row[j] *= scale / sum;
    row[labels[i]] -= scale;
  }
}

template <class T>
LossFunctions loss_loops() {
  LossFunctions functions;
  catalogue::for_each<Loss>([&](auto loss) {
    if constexpr (kCouplesColumns<loss.value>) {
      static_assert(loss.value == Loss::softmax_cross_entropy);
      entry_of(functions.value, loss.value) = run_cross_entropy<T>;
      entry_of(functions.gradient, loss.value) = run_cross_entropy_gradient<T>;
    } else {
      using Rule = RuleOf<loss.value>;
      entry_of(functions.value, loss.value) = run_loss_of_entries<T, Rule>;
      entry_of(functions.gradient, loss.value) = run_gradient_of_entries<T, Rule>;
    }
  });
  return functions;
}

}  // namespace gdbench::backends::cpu
