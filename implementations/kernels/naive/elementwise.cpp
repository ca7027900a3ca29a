// Bias, activations, column sums and updates.
#include <cmath>

#include "implementations/kernels/naive/binders.h"

namespace gdbench::kernels::naive {
namespace {

using cpu::ShapedCall;

template <class T>
void run_add_bias(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict bias = cpu::data<const T>(buffers[0]);
  T* __restrict z = cpu::data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) z[i * shape.columns + j] += bias[j];
  }
}

template <class T>
void run_column_sum(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict d = cpu::data<const T>(buffers[0]);
  T* __restrict sums = cpu::data<T>(buffers[1]);
  for (std::int64_t j = 0; j < shape.columns; ++j) sums[j] = 0;
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) sums[j] += d[i * shape.columns + j];
  }
}

// Each activation f, and f' in terms of a = f(z).
struct Identity {
  template <class T>
  static T value(T z) {
    return z;
  }
  template <class T>
  static T derivative(T /*a*/) {
    return 1;
  }
};
struct Relu {
  template <class T>
  static T value(T z) {
    return z < T(0) ? T(0) : z;  // a NaN stays one
  }
  template <class T>
  static T derivative(T a) {
    return a > T(0) ? T(1) : T(0);
  }
};
struct Tanh {
  template <class T>
  static T value(T z) {
    return std::tanh(z);
  }
  template <class T>
  static T derivative(T a) {
    return 1 - a * a;
  }
};
struct Sigmoid {
  template <class T>
  static T value(T z) {
    return 1 / (1 + std::exp(-z));
  }
  template <class T>
  static T derivative(T a) {
    return a * (1 - a);
  }
};

// Z and A may be the same buffer, so neither is restrict.
template <class T, class Function>
void run_activation(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* z = cpu::data<const T>(buffers[0]);
  T* a = cpu::data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.size(); ++i) a[i] = Function::value(z[i]);
}

template <class T, class Function>
void run_activation_gradient(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ShapedCall&>(*call);
  const T* __restrict a = cpu::data<const T>(buffers[0]);
  T* __restrict d = cpu::data<T>(buffers[1]);
  for (std::int64_t i = 0; i < shape.size(); ++i) d[i] *= Function::derivative(a[i]);
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
  const T* __restrict gradient = cpu::data<const T>(buffers[0]);
  const T rate = static_cast<T>(cpu::data<const UpdateScalars>(buffers[1])->learning_rate);
  T* __restrict parameter = cpu::data<T>(buffers[2]);
  for (std::int64_t i = 0; i < shape.size(); ++i) parameter[i] -= rate * gradient[i];
}

}  // namespace

cpu::Binding bind_add_bias(const Request& request) {
  return cpu::make_binding(ShapedCall(request.operands[1]), request.dtype, run_add_bias<float>, run_add_bias<double>);
}

cpu::Binding bind_column_sum(const Request& request) {
  return cpu::make_binding(ShapedCall(request.operands[0]), request.dtype, run_column_sum<float>,
                           run_column_sum<double>);
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

}  // namespace gdbench::kernels::naive
