// Activations, column sums and normalisations by Eigen's functions and sums of whole arrays. All else is plain loops,
// of which the compiler makes vectors.
#include <unsupported/Eigen/SpecialFunctions>

#include "implementations/backends/common/cpu/elementwise_loops.h"
#include "implementations/backends/eigen/backend.h"
#include "implementations/backends/eigen/maps.h"

namespace gdbench::backends::eigen {
namespace {

using cpu::ShapedCall;

template <class T>
void run_add_scalar_bias(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  output_array<T>(buffers[1], shape.rows) += *cpu::data<const T>(buffers[0]);
}

// Four rows at a time: the sums are read and written a quarter as often.
template <class T>
void run_column_sum(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const auto d = input_matrix<T>(buffers[0], shape.rows, shape.columns);
  auto sums = output_vector<T>(buffers[1], shape.columns).transpose();
  sums.setZero();
  Eigen::Index i = 0;
  for (; i + 4 <= shape.rows; i += 4) sums += (d.row(i) + d.row(i + 1)) + (d.row(i + 2) + d.row(i + 3));
  for (; i < shape.rows; ++i) sums += d.row(i);
}

template <class T>
void run_sum(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  *cpu::data<T>(buffers[1]) = input_array<T>(buffers[0], shape.rows).sum();
}

// Of the rules of entries those that arrays have otherwise: by selection, or by a function that has vectors.
template <Activation activation>
struct ArrayRule : RuleOf<activation> {};
template <>
struct ArrayRule<Activation::gelu> {
  template <class Values>
  static auto value(const Values& z) {
    return z * distribution(z);
  }
  template <class Values>
  static auto derivative(const Values& z) {
    using T = typename Values::Scalar;
    return (distribution(z) + z * T(0.39894228040143267794) * (z * z * T(-0.5)).exp()).eval();
  }

 private:
  template <class Values>
  static auto distribution(const Values& z) {
    using T = typename Values::Scalar;
    return T(0.5) * (T(1) + (z * T(0.70710678118654752440)).erf());
  }
};
template <>
struct ArrayRule<Activation::softplus> : RuleOf<Activation::softplus> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z.max(T(0)) + (-z.abs()).exp().log1p();
  }
};

template <class T, class Function>
void run_activation(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  output_array<T>(buffers[1], shape.size()) = Function::value(input_array<T>(buffers[0], shape.size()));
}

// What is read twice in an expression is computed before, a few entries at a time.
template <class T, class Function>
void run_gradient_of_input(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* z = cpu::data<const T>(buffers[0]);
  T* d = cpu::data<T>(buffers[1]);
  for_segments(shape.size(), [&](Eigen::Index first, auto width) {
    segment<width>(d + first) *= Function::derivative(segment<width>(z + first));
  });
}

template <class T, class Function>
void run_activation_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  output_array<T>(buffers[1], shape.size()) *= Function::derivative(input_array<T>(buffers[0], shape.size()));
}

// Calls f(z, mean, factor, i) for each row z of a matrix, whose normalised row is (z - mean) * factor.
template <class T, class Function>
void for_normalized_rows(const ShapedCall& shape, Buffer buffer, Function f) {
  const auto z = input_matrix<T>(buffer, shape.rows, shape.columns).array();
  for (Eigen::Index i = 0; i < shape.rows; ++i) {
    const T mean = z.row(i).mean();
    const T variance = (z.row(i) - mean).square().mean();
    f(z.row(i), mean, T(1) / std::sqrt(variance + T(GDBENCH_LAYER_NORM_EPSILON)), i);
  }
}

template <class T>
void run_normalize(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  auto n = output_matrix<T>(buffers[1], shape.rows, shape.columns).array();
  for_normalized_rows<T>(shape, buffers[0],
                         [&](const auto& z, T mean, T factor, Eigen::Index i) { n.row(i) = (z - mean) * factor; });
}

// factor (d - mean(d) - n mean(d n))
template <class T>
void run_normalize_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  auto d = output_matrix<T>(buffers[1], shape.rows, shape.columns).array();
  for_normalized_rows<T>(shape, buffers[0], [&](const auto& z, T mean, T factor, Eigen::Index i) {
    const T correlation = (d.row(i) * (z - mean)).mean() * factor * factor;
    d.row(i) = factor * (d.row(i) - d.row(i).mean() - (z - mean) * correlation);
  });
}

}  // namespace

template <class T>
cpu::ElementwiseFunctions elementwise_functions() {
  cpu::ElementwiseFunctions functions = cpu::elementwise_loops<T, false>();
  functions.add_scalar_bias = run_add_scalar_bias<T>;
  functions.column_sum = run_column_sum<T>;
  functions.scalar_column_sum = run_sum<T>;
  functions.normalize = run_normalize<T>;
  functions.normalize_gradient = run_normalize_gradient<T>;
  catalogue::for_each<Activation>([&](auto activation) {
    using Rule = ArrayRule<activation.value>;
    if constexpr (catalogue::row_of(activation.value).slope == catalogue::Slope::varies) {
      cpu::entry_of(functions.activation, activation.value) = run_activation<T, Rule>;
      cpu::entry_of(functions.activation_gradient, activation.value) =
          catalogue::reads_input(activation.value) ? run_gradient_of_input<T, Rule> : run_activation_gradient<T, Rule>;
    }
  });
  set_updates<T>(functions);
  return functions;
}

template cpu::ElementwiseFunctions elementwise_functions<float>();
template cpu::ElementwiseFunctions elementwise_functions<double>();

}  // namespace gdbench::backends::eigen
