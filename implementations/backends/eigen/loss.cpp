#include <cmath>

#include "implementations/backends/eigen/backend.h"
#include "implementations/backends/eigen/maps.h"

namespace gdbench::backends::eigen {
namespace {

using cpu::LossCall;

// As rules/losses.h has them, of arrays of outputs p and targets y.
template <Loss loss>
struct ArrayRule;
template <>
struct ArrayRule<Loss::mse> {
  static auto term(const auto& p, const auto& y, double /*delta*/) { return (p - y).square(); }
  static auto slope(const auto& p, const auto& y, auto /*delta*/) { return p - y; }
};
template <>
struct ArrayRule<Loss::half_mse> : ArrayRule<Loss::mse> {};
template <>
struct ArrayRule<Loss::binary_cross_entropy> {
  static auto term(const auto& p, const auto& y, double /*delta*/) {
    return p.max(0.0) - p * y + (-p.abs()).exp().log1p();
  }
  template <class Values>
  static auto slope(const Values& p, const auto& y, auto /*delta*/) {
    using T = typename Values::Scalar;
    return (T(1) + (-p).exp()).inverse() - y;
  }
};
template <>
struct ArrayRule<Loss::huber> {
  // With c the error cut off at delta, c (error - c / 2) is both of its pieces.
  static auto term(const auto& p, const auto& y, double delta) {
    return (p - y).abs().min(delta) * ((p - y).abs() - (p - y).abs().min(delta) * 0.5);
  }
  static auto slope(const auto& p, const auto& y, auto delta) { return (p - y).max(-delta).min(delta); }
};

// The sum over all entries, in double: P and Y [m,n].
template <class T, class Rule>
void run_loss_of_entries(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_array<T>(buffers[0], self.size());
  const auto y = input_array<T>(buffers[1], self.size());
  const double sum = Rule::term(p.template cast<double>(), y.template cast<double>(), self.huber_delta).sum();
  *cpu::data<double>(buffers[2]) = self.scale * sum;
}

// G may be P's buffer: entries are independent.
template <class T, class Rule>
void run_gradient_of_entries(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const LossCall&>(*call);
  const auto p = input_array<T>(buffers[0], self.size());
  const auto y = input_array<T>(buffers[1], self.size());
  output_array<T>(buffers[2], self.size()) =
      static_cast<T>(self.scale) * Rule::slope(p, y, static_cast<T>(self.huber_delta));
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
  cpu::LossFunctions functions;
  catalogue::for_each<Loss>([&](auto loss) {
    if constexpr (kCouplesColumns<loss.value>) {
      static_assert(loss.value == Loss::softmax_cross_entropy);
      cpu::entry_of(functions.value, loss.value) = run_cross_entropy<T>;
      cpu::entry_of(functions.gradient, loss.value) = run_cross_entropy_gradient<T>;
    } else {
      using Rule = ArrayRule<loss.value>;
      cpu::entry_of(functions.value, loss.value) = run_loss_of_entries<T, Rule>;
      cpu::entry_of(functions.gradient, loss.value) = run_gradient_of_entries<T, Rule>;
    }
  });
  return functions;
}

template cpu::LossFunctions loss_functions<float>();
template cpu::LossFunctions loss_functions<double>();

}  // namespace gdbench::backends::eigen
