// Bias, activations, column sums, normalisations and combinations.
#include <unsupported/Eigen/SpecialFunctions>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/eigen/backend.h"
#include "implementations/backends/eigen/maps.h"

namespace gdbench::backends::eigen {
namespace {

using cpu::CombineCall;
using cpu::ShapedCall;

template <class T>
void run_add_bias(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* bias = cpu::data<const T>(buffers[0]);
  T* z = cpu::data<T>(buffers[1]);
  for (Eigen::Index i = 0; i < shape.rows; ++i, z += shape.columns) {
    for_segments(shape.columns, [&](Eigen::Index j, auto width) { segment<width>(z + j) += segment<width>(bias + j); });
  }
}

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

// An activation f on an array, and d f' at a = f(z), or at a few entries of z where catalogue::reads_input says so.
template <Activation activation>
struct ArrayRule;
template <>
struct ArrayRule<Activation::identity> {
  static auto value(const auto& z) { return z; }
  static auto gradient(const auto& /*a*/, const auto& d) { return d; }
};
template <>
struct ArrayRule<Activation::relu> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z.max(T(0));
  }
  template <class Values>
  static auto gradient(const Values& a, const auto& d) {
    using T = typename Values::Scalar;
    return (a > T(0)).select(d, T(0));
  }
};
template <>
struct ArrayRule<Activation::tanh> {
  static auto value(const auto& z) { return z.tanh(); }
  template <class Values>
  static auto gradient(const Values& a, const auto& d) {
    using T = typename Values::Scalar;
    return d * (T(1) - a * a);
  }
};
template <>
struct ArrayRule<Activation::sigmoid> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return (T(1) + (-z).exp()).inverse();
  }
  template <class Values>
  static auto gradient(const Values& a, const auto& d) {
    using T = typename Values::Scalar;
    return d * (a * (T(1) - a));
  }
};
template <>
struct ArrayRule<Activation::leaky_relu> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z.max(z * T(0.01));
  }
  template <class Values>
  static auto gradient(const Values& a, const auto& d) {
    using T = typename Values::Scalar;
    return (a > T(0)).select(d, d * T(0.01));
  }
};
template <>
struct ArrayRule<Activation::silu> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z / (T(1) + (-z).exp());
  }
  template <class Values>
  static auto gradient(const Values& z, const auto& d) {
    using T = typename Values::Scalar;
    const auto s = (T(1) + (-z).exp()).inverse().eval();
    return (d * s * (T(1) + z * (T(1) - s))).eval();
  }
};
template <>
struct ArrayRule<Activation::gelu> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z * T(0.5) * (T(1) + (z * T(0.70710678118654752440)).erf());
  }
  template <class Values>
  static auto gradient(const Values& z, const auto& d) {
    using T = typename Values::Scalar;
    const auto distribution = T(0.5) * (T(1) + (z * T(0.70710678118654752440)).erf());
    return (d * (distribution + z * T(0.39894228040143267794) * (z * z * T(-0.5)).exp())).eval();
  }
};
template <>
struct ArrayRule<Activation::gelu_tanh> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z * T(0.5) * (T(1) + tangent(z));
  }
  template <class Values>
  static auto gradient(const Values& z, const auto& d) {
    using T = typename Values::Scalar;
    const auto t = tangent(z).eval();
    const auto slope = T(kGeluScale) * (T(1) + T(3 * kGeluCube) * z * z);
    return (d * T(0.5) * (T(1) + t + z * (T(1) - t * t) * slope)).eval();
  }

 private:
  template <class Values>
  static auto tangent(const Values& z) {
    using T = typename Values::Scalar;
    return (T(kGeluScale) * z * (T(1) + T(kGeluCube) * z * z)).tanh();
  }
};
template <>
struct ArrayRule<Activation::softplus> {
  template <class Values>
  static auto value(const Values& z) {
    using T = typename Values::Scalar;
    return z.max(T(0)) + (-z.abs()).exp().log1p();
  }
  static auto gradient(const auto& a, const auto& d) { return -d * (-a).expm1(); }
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
    auto gradient = segment<width>(d + first);
    gradient = Function::gradient(segment<width>(z + first), gradient);
  });
}

template <class T, class Function>
void run_activation_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  auto d = output_array<T>(buffers[1], shape.size());
  d = Function::gradient(input_array<T>(buffers[0], shape.size()), d);
}

// C may be A's or B's buffer: entries are independent.
template <class T>
void run_combine(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const CombineCall&>(*call);
  output_array<T>(buffers[2], self.size()) = static_cast<T>(self.alpha) * input_array<T>(buffers[0], self.size()) +
                                             static_cast<T>(self.beta) * input_array<T>(buffers[1], self.size());
}

template <class T>
void run_scale(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const CombineCall&>(*call);
  output_array<T>(buffers[2], self.size()) = static_cast<T>(self.alpha) * input_array<T>(buffers[0], self.size());
}

template <class T>
void run_multiply(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  output_array<T>(buffers[2], shape.size()) =
      input_array<T>(buffers[0], shape.size()) * input_array<T>(buffers[1], shape.size());
}

template <class T>
void run_scale_columns(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* scale = cpu::data<const T>(buffers[0]);
  const T* a = cpu::data<const T>(buffers[1]);
  T* c = cpu::data<T>(buffers[2]);
  for (Eigen::Index i = 0; i < shape.rows; ++i, a += shape.columns, c += shape.columns) {
    for_segments(shape.columns, [&](Eigen::Index j, auto width) {
      segment<width>(c + j) = segment<width>(scale + j) * segment<width>(a + j);
    });
  }
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
  cpu::ElementwiseFunctions functions = {
      .add_bias = run_add_bias<T>,
      .add_scalar_bias = run_add_scalar_bias<T>,
      .column_sum = run_column_sum<T>,
      .scalar_column_sum = run_sum<T>,
      .combine = run_combine<T>,
      .scale = run_scale<T>,
      .multiply = run_multiply<T>,
      .scale_columns = run_scale_columns<T>,
      .normalize = run_normalize<T>,
      .normalize_gradient = run_normalize_gradient<T>,
  };
  catalogue::for_each<Activation>([&](auto activation) {
    using Rule = ArrayRule<activation.value>;
    cpu::entry_of(functions.activation, activation.value) = run_activation<T, Rule>;
    if constexpr (catalogue::reads_input(activation.value)) {
      cpu::entry_of(functions.activation_gradient, activation.value) = run_gradient_of_input<T, Rule>;
    } else {
      cpu::entry_of(functions.activation_gradient, activation.value) = run_activation_gradient<T, Rule>;
    }
  });
  set_updates<T>(functions);
  return functions;
}

template cpu::ElementwiseFunctions elementwise_functions<float>();
template cpu::ElementwiseFunctions elementwise_functions<double>();

}  // namespace gdbench::backends::eigen
