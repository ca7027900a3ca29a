#include <cmath>

#include "implementations/kernels/naive/binders.h"

namespace gdbench::kernels::naive {
namespace {

using cpu::LossCall;

// Sum of squares, in double: P and Y [m,n].
template <class T>
void run_squared_error(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* __restrict p = cpu::data<const T>(buffers[0]);
  const T* __restrict y = cpu::data<const T>(buffers[1]);
  double sum = 0;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    const double difference = static_cast<double>(p[i]) - static_cast<double>(y[i]);
    sum += difference * difference;
  }
  *cpu::data<double>(buffers[2]) = shape.scale * sum;
}

// G may be P's buffer.
template <class T>
void run_squared_error_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* p = cpu::data<const T>(buffers[0]);
  const T* y = cpu::data<const T>(buffers[1]);
  T* g = cpu::data<T>(buffers[2]);
  const T scale = static_cast<T>(shape.scale);
  for (std::int64_t i = 0; i < shape.size(); ++i) g[i] = scale * (p[i] - y[i]);
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
  const T* __restrict p = cpu::data<const T>(buffers[0]);
  const auto* __restrict labels = cpu::data<const std::int32_t>(buffers[1]);
  double total = 0;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    const T* row = p + i * shape.columns;
    const T shift = largest(row, shape.columns);
    T sum = 0;
    for (std::int64_t j = 0; j < shape.columns; ++j) sum += std::exp(row[j] - shift);
    total += static_cast<double>(std::log(sum) - (row[labels[i]] - shift));
  }
  *cpu::data<double>(buffers[2]) = shape.scale * total;
}

// (softmax(P) - one_hot(label)) / m. G may be P's buffer.
template <class T>
void run_cross_entropy_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const LossCall&>(*call);
  const T* p = cpu::data<const T>(buffers[0]);
  const auto* labels = cpu::data<const std::int32_t>(buffers[1]);
  T* g = cpu::data<T>(buffers[2]);
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

}  // namespace

cpu::Binding bind_loss(const Request& request) {
  const LossCall call(request);
  if (request.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) {
    return cpu::make_binding(call, request.dtype, run_cross_entropy<float>, run_cross_entropy<double>);
  }
  return cpu::make_binding(call, request.dtype, run_squared_error<float>, run_squared_error<double>);
}

cpu::Binding bind_loss_gradient(const Request& request) {
  const LossCall call(request);
  if (request.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) {
    return cpu::make_binding(call, request.dtype, run_cross_entropy_gradient<float>,
                             run_cross_entropy_gradient<double>);
  }
  return cpu::make_binding(call, request.dtype, run_squared_error_gradient<float>, run_squared_error_gradient<double>);
}

}  // namespace gdbench::kernels::naive
