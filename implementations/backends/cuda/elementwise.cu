// Ops that touch every entry once: biases, activations and their gradients, combinations, gathering rows.
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/narrow.h"

namespace gdbench::backends::cuda {
namespace {

template <class Number, class Function>
struct ActivationGradient {
  using T = SumOf<Number>;
  GDBENCH_HOST_DEVICE T operator()(T argument, T d) const {
    return d * Function::template derivative<T>(as_operand<Number>(argument));
  }
};

template <class T>
struct Combination {
  T alpha;
  T beta;
  GDBENCH_HOST_DEVICE T operator()(T a, T b) const { return alpha * a + beta * b; }
};

template <class T>
struct Scaling {
  T alpha;
  GDBENCH_HOST_DEVICE T operator()(T a) const { return alpha * a; }
};

template <class T>
struct Multiplication {
  GDBENCH_HOST_DEVICE T operator()(T a, T b) const { return a * b; }
};

template <class T, class Rule>
struct LossGradient {
  T scale;
  T delta;
  GDBENCH_HOST_DEVICE T operator()(T p, T y) const { return scale * Rule::slope(p, y, delta); }
};

// B[r, c] = A[index[r], c]
template <class T>
struct Gather {
  const T* a;
  const std::uint32_t* index;
  T* b;
  std::int64_t columns;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const {
    b[i] = a[static_cast<std::int64_t>(index[i / columns]) * columns + i % columns];
  }
};

template <class T>
OwnedCall* bind_activation(Context& context, const Request& request) {
  const std::int64_t size = size_of(request.operands[0]);
  return with_activation(request.activation, [&](auto function) -> OwnedCall* {
    return make_call(context, "activation", [size](Context& to, const Buffer* buffers) {
      launch_map(to.stream, size, data<const T>(buffers[0]), data<T>(buffers[1]), Apply<T, decltype(function)>{});
    });
  });
}

template <class Number>
OwnedCall* bind_activation_gradient(Context& context, const Request& request) {
  using T = SumOf<Number>;
  const std::int64_t size = size_of(request.operands[0]);
  return with_activation(request.activation, [&](auto function) -> OwnedCall* {
    return make_call(context, "activation_gradient", [size](Context& to, const Buffer* buffers) {
      T* d = data<T>(buffers[1]);
      launch_map(to.stream, size, data<const T>(buffers[0]), static_cast<const T*>(d), d,
                 ActivationGradient<Number, decltype(function)>{});
    });
  });
}

template <class T>
OwnedCall* bind_combine(Context& context, const Request& request) {
  const std::int64_t size = size_of(request.operands[2]);
  const auto alpha = static_cast<T>(request.alpha);
  const auto beta = static_cast<T>(request.beta);
  if (request.beta == 0) {
    return make_call(context, "combine", [size, alpha](Context& to, const Buffer* buffers) {
      launch_map(to.stream, size, data<const T>(buffers[0]), data<T>(buffers[2]), Scaling<T>{alpha});
    });
  }
  return make_call(context, "combine", [size, alpha, beta](Context& to, const Buffer* buffers) {
    launch_map(to.stream, size, data<const T>(buffers[0]), data<const T>(buffers[1]), data<T>(buffers[2]),
               Combination<T>{alpha, beta});
  });
}

// z[i, j] += bias[j]. By packs where rows are whole ones: a remainder, which takes a device some 40 instructions, then
// serves several elements.
template <class T>
struct AddBias {
  const T* bias;
  T* z;
  std::int64_t columns;
  bool by_packs;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const {
    if (!by_packs) {
      z[i] += bias[i % columns];
      return;
    }
    const T* added = bias + i * kPackWidth<T> % columns;
    Pack<T> sum = reinterpret_cast<const Pack<T>*>(z)[i];
    for (int l = 0; l < kPackWidth<T>; ++l) sum.entries[l] += added[l];
    reinterpret_cast<Pack<T>*>(z)[i] = sum;
  }
};

template <class T>
OwnedCall* bind_of(Context& context, const Request& request) {
  switch (request.op) {
    case Op::add_bias: {
      const Operand z = request.operands[1];
      return make_call(context, "add_bias", [z](Context& to, const Buffer* buffers) {
        T* sums = data<T>(buffers[1]);
        const bool by_packs = z.columns % kPackWidth<T> == 0 && packs(sums);
        launch_elements(to.stream, by_packs ? size_of(z) / kPackWidth<T> : size_of(z),
                        AddBias<T>{data<const T>(buffers[0]), sums, z.columns, by_packs});
      });
    }
    case Op::activation:
      return bind_activation<T>(context, request);
    case Op::combine:
      return bind_combine<T>(context, request);
    case Op::multiply: {
      const std::int64_t size = size_of(request.operands[2]);
      return make_call(context, "multiply", [size](Context& to, const Buffer* buffers) {
        launch_map(to.stream, size, data<const T>(buffers[0]), data<const T>(buffers[1]), data<T>(buffers[2]),
                   Multiplication<T>{});
      });
    }
    case Op::gather: {
      const Operand to_rows = request.operands[2];
      return make_call(context, "gather", [to_rows](Context& to, const Buffer* buffers) {
        launch_elements(to.stream, size_of(to_rows),
                        Gather<T>{data<const T>(buffers[0]), data<const std::uint32_t>(buffers[1]), data<T>(buffers[2]),
                                  to_rows.columns});
      });
    }
    case Op::loss_gradient: {
      const std::int64_t size = size_of(request.operands[0]);
      const double scale = request.alpha * loss_scale(request);
      const auto delta = static_cast<T>(request.loss.huber_delta);
      return with_loss_of_entries(request.loss, [&](auto rule) {
        return make_call(context, "loss_gradient", [size, scale, delta](Context& to, const Buffer* buffers) {
          launch_map(to.stream, size, data<const T>(buffers[0]), data<const T>(buffers[1]), data<T>(buffers[2]),
                     LossGradient<T, decltype(rule)>{static_cast<T>(scale * to.loss_scale), delta});
        });
      });
    }
    default:
      return nullptr;
  }
}

}  // namespace

OwnedCall* bind_elementwise(Context& context, const Request& request) {
  if (request.op == Op::activation_gradient) {
    return with_operand(request.dtype,
                        [&](auto zero) { return bind_activation_gradient<decltype(zero)>(context, request); });
  }
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, request); });
}

}  // namespace gdbench::backends::cuda
