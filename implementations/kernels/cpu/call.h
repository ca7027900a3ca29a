// What CPU backends build their calls from: a Call that knows how to delete itself, and typed access to operands.
#pragma once

#include <utility>

#include "implementations/kernels/kernels.h"

namespace gdbench::kernels::cpu {

// A backend's calls derive from this and add shapes and attributes as the run function needs them.
struct OwnedCall : Call {
  void (*destroy)(OwnedCall* call) = nullptr;
};

// A call of an op that needs no more than the shape of its matrix.
struct ShapedCall : OwnedCall {
  explicit ShapedCall(const Operand& operand) : rows(operand.rows), columns(operand.columns) {}
  std::int64_t size() const { return rows * columns; }

  std::int64_t rows;
  std::int64_t columns;
};

// A loss or its gradient for outputs [rows, columns].
struct LossCall : ShapedCall {
  explicit LossCall(const Request& request);
  double scale;  // what the sum over rows, or the bare gradient, is multiplied by
};

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

// The same for a function template that was instantiated for both dtypes.
template <class Derived>
Binding make_binding(Derived values, gdbench_dtype dtype, Run f32, Run f64) {
  return make_binding(std::move(values), dtype == GDBENCH_F32 ? f32 : f64);
}

inline Binding unsupported(const char* reason) { return {nullptr, reason}; }

// A buffer is the data's own address on a CPU.
template <class Element>
Element* data(Buffer buffer) {
  return reinterpret_cast<Element*>(buffer);
}

}  // namespace gdbench::kernels::cpu
