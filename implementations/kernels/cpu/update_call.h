// The call that updates of parameters run on.
#pragma once

#include "implementations/kernels/cpu/call.h"
#include "implementations/kernels/rules/updates.h"

namespace gdbench::kernels::cpu {

// The update of a parameter [rows, columns].
template <class T>
struct UpdateCall : ShapedCall {
  explicit UpdateCall(const Request& request) : ShapedCall(request.operands[2]), constants(*request.optimizer) {}

  UpdateConstants<T> constants;
};

}  // namespace gdbench::kernels::cpu
