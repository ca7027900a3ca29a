// Bias, activations, column sums and updates.
#include "implementations/kernels/eigen/binders.h"
#include "implementations/kernels/eigen/maps.h"

namespace gdbench::kernels::eigen {
namespace {

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

// Each activation f on an array, and f' in terms of a = f(z).
struct Identity {
  static auto value(const auto& z) { return z; }
  static auto gradient(const auto& /*a*/, const auto& d) { return d; }
};
struct Relu {
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
struct Tanh {
  static auto value(const auto& z) { return z.tanh(); }
  template <class Values>
  static auto gradient(const Values& a, const auto& d) {
    using T = typename Values::Scalar;
    return d * (T(1) - a * a);
  }
};
struct Sigmoid {
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

template <class T, class Function>
void run_activation(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  output_array<T>(buffers[1], shape.size()) = Function::value(input_array<T>(buffers[0], shape.size()));
}

template <class T, class Function>
void run_activation_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  auto d = output_array<T>(buffers[1], shape.size());
  d = Function::gradient(input_array<T>(buffers[0], shape.size()), d);
}

template <class Function>
cpu::Binding bind_function(const Request& request) {
  const ShapedCall call(request.operands[0]);
  if (request.op == Op::activation) {
    return cpu::make_binding(call, request.dtype, run_activation<float, Function>, run_activation<double, Function>);
  }
  return cpu::make_binding(call, request.dtype, run_activation_gradient<float, Function>,
                           run_activation_gradient<double, Function>);
}

// W -= learning_rate G, torch.optim.SGD without momentum.
template <class T>
void run_sgd(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T rate = static_cast<T>(cpu::data<const UpdateScalars>(buffers[1])->learning_rate);
  output_array<T>(buffers[2], shape.size()) -= rate * input_array<T>(buffers[0], shape.size());
}

}  // namespace

cpu::Binding bind_add_bias(const Request& request) {
  const ShapedCall call(request.operands[1]);
  if (call.columns == 1) {
    return cpu::make_binding(call, request.dtype, run_add_scalar_bias<float>, run_add_scalar_bias<double>);
  }
  return cpu::make_binding(call, request.dtype, run_add_bias<float>, run_add_bias<double>);
}

cpu::Binding bind_column_sum(const Request& request) {
  const ShapedCall call(request.operands[0]);
  if (call.columns == 1) return cpu::make_binding(call, request.dtype, run_sum<float>, run_sum<double>);
  return cpu::make_binding(call, request.dtype, run_column_sum<float>, run_column_sum<double>);
}

cpu::Binding bind_activation(const Request& request) {
  switch (request.activation) {
    case GDBENCH_IDENTITY:
      return bind_function<Identity>(request);
    case GDBENCH_RELU:
      return bind_function<Relu>(request);
    case GDBENCH_TANH:
      return bind_function<Tanh>(request);
    case GDBENCH_SIGMOID:
      return bind_function<Sigmoid>(request);
  }
  return cpu::unsupported("such activation");
}

cpu::Binding bind_activation_gradient(const Request& request) { return bind_activation(request); }

cpu::Binding bind_update(const Request& request) {
  if (request.optimizer == nullptr || request.optimizer->kind != GDBENCH_SGD) {
    return cpu::unsupported("optimizer but sgd");
  }
  return cpu::make_binding(ShapedCall(request.operands[2]), request.dtype, run_sgd<float>, run_sgd<double>);
}

}  // namespace gdbench::kernels::eigen
