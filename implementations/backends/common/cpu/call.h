// What CPU backends build their calls from.
#pragma once

#include <memory>
#include <utility>

#include "implementations/backends/common/call.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/common/rules/updates.h"

namespace gdbench::backends::cpu {

using backends::data;
using backends::OwnedCall;

// A call of an op that needs no more than the shape of its matrix.
struct ShapedCall : OwnedCall {
  explicit ShapedCall(const Operand& operand) : rows(operand.rows), columns(operand.columns) {}
  std::int64_t size() const { return rows * columns; }

  std::int64_t rows;
  std::int64_t columns;
};

// The update of a parameter [rows, columns].
template <class T>
struct UpdateCall : ShapedCall {
  explicit UpdateCall(const Request& request) : ShapedCall(request.operands[2]), constants(*request.optimizer) {}

  UpdateConstants<T> constants;
};

// A loss or its gradient for outputs [rows, columns].
struct LossCall : ShapedCall {
  explicit LossCall(const Request& request)
      : ShapedCall(request.operands[0]),
        scale(request.alpha * loss_scale(request)),
        huber_delta(request.loss.huber_delta) {}
  double scale;  // what the sum over rows, or the bare gradient, is multiplied by
  double huber_delta;
};

// C = alpha A + beta B for matrices [rows, columns].
struct CombineCall : ShapedCall {
  explicit CombineCall(const Request& request)
      : ShapedCall(request.operands[2]), alpha(request.alpha), beta(request.beta) {}
  double alpha;
  double beta;
};

// alpha and beta of a product, whose update epilogue is -(learning rate) and 1.
template <class T>
struct ProductFactors {
  explicit ProductFactors(const Request& request)
      : fixed_alpha(static_cast<T>(request.alpha)),
        beta(request.epilogue_update ? T(1) : static_cast<T>(request.beta)),
        update(request.epilogue_update) {}

  // `buffers` are the product's operands.
  T alpha(const Buffer* buffers) const {
    return update ? -static_cast<T>(data<const UpdateScalars>(buffers[3])->learning_rate) : fixed_alpha;
  }

  T fixed_alpha;
  T beta;
  bool update;
};

struct Destroy {
  void operator()(OwnedCall* call) const { call->destroy(call); }
};
// A call that another one is made of.
using CallPointer = std::unique_ptr<OwnedCall, Destroy>;

// What binding an op yields: a call, or the reason why the backend does not offer it.
struct Binding {
  OwnedCall* call = nullptr;
  const char* reason = nullptr;
};

using Run = void (*)(const Call* call, const Buffer* buffers, Stream* stream);

template <class Derived>
Binding make_binding(Derived values, Run run) {
  auto* call = new Derived(std::move(values));
  call->run = run;
  call->destroy = [](OwnedCall* owned) { delete static_cast<Derived*>(owned); };
  return {call, nullptr};
}

inline Binding unsupported(const char* reason) { return {nullptr, reason}; }

}  // namespace gdbench::backends::cpu
