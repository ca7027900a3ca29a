// The call that updates of parameters run on.
#pragma once

#include "implementations/backends/common/cpu/call.h"
#include "implementations/backends/common/rules/updates.h"

namespace gdbench::backends::cpu {

// The update of a parameter [rows, columns].
template <class T>
struct UpdateCall : ShapedCall {
  explicit UpdateCall(const Request& request) : ShapedCall(request.operands[2]), constants(*request.optimizer) {}

  UpdateConstants<T> constants;
};

}  // namespace gdbench::backends::cpu
