#include <cmath>

#include "implementations/kernels/eigen/backend.h"
#include "implementations/kernels/eigen/maps.h"

namespace gdbench::kernels::eigen {
namespace {

using cpu::LossCall;

// Sum of squares, in double: P and Y [m,n].
template <class T>
void run_squared_error(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_array<T>(buffers[0], self.size());
  const auto y = input_array<T>(buffers[1], self.size());
  const double sum = (p.template cast<double>() - y.template cast<double>()).square().sum();
  *cpu::data<double>(buffers[2]) = self.scale * sum;
}

// G may be P's buffer: entries are independent.
template <class T>
void run_squared_error_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_array<T>(buffers[0], self.size());
  const auto y = input_array<T>(buffers[1], self.size());
  output_array<T>(buffers[2], self.size()) = static_cast<T>(self.scale) * (p - y);
}

// Shifting by the row's largest logit keeps exp from overflowing and changes nothing else.
template <class T>
void run_cross_entropy(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_matrix<T>(buffers[0], self.rows, self.columns);
  const auto* labels = cpu::data<const std::int32_t>(buffers[1]);
  double total = 0;
  for (Eigen::Index i = 0; i < self.rows; ++i) {
    const auto row = p.row(i).array();
    const T shift = row.maxCoeff();
    const T sum = (row - shift).exp().sum();
    total += static_cast<double>(std::log(sum) - (row(labels[i]) - shift));
  }
  *cpu::data<double>(buffers[2]) = self.scale * total;
}

// (softmax(P) - one_hot(label)) / m. G may be P's buffer.
template <class T>
void run_cross_entropy_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_matrix<T>(buffers[0], self.rows, self.columns);
  const auto* labels = cpu::data<const std::int32_t>(buffers[1]);
  auto g = output_matrix<T>(buffers[2], self.rows, self.columns);
  const T scale = static_cast<T>(self.scale);
  for (Eigen::Index i = 0; i < self.rows; ++i) {
    auto row = g.row(i).array();
    row = (p.row(i).array() - p.row(i).maxCoeff()).exp();
    row *= scale / row.sum();
    row(labels[i]) -= scale;
  }
}

}  // namespace

template <class T>
cpu::LossFunctions loss_functions() {
  return {run_squared_error<T>, run_squared_error_gradient<T>, run_cross_entropy<T>, run_cross_entropy_gradient<T>};
}

template cpu::LossFunctions loss_functions<float>();
template cpu::LossFunctions loss_functions<double>();

}  // namespace gdbench::kernels::eigen
