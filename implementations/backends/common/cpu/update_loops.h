// Every optimizer's update as a plain loop, one pass over memory; see elementwise_loops.h. To be compiled with
// -fno-math-errno, without which a square root is no vector instruction.
#pragma once

#include "implementations/backends/common/cpu/functions.h"

namespace gdbench::backends::cpu {

template <class T, OptimizerKind kind, Decay decay>
void run_update(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const UpdateCall<T>&>(*call);
  const UpdateStep<T> step(self.constants, *data<const UpdateScalars>(buffers[1]));
  const T* __restrict gradient = data<const T>(buffers[0]);
  T* __restrict parameter = data<T>(buffers[2]);
  T* __restrict first = kSlots<kind> > 0 ? data<T>(buffers[3]) : nullptr;
  T* __restrict second = kSlots<kind> > 1 ? data<T>(buffers[4]) : nullptr;
  for (std::int64_t i = 0; i < self.size(); ++i) {
    parameter[i] = updated<kind, decay>(step, parameter[i], gradient[i], kSlots<kind> > 0 ? first + i : nullptr,
                                        kSlots<kind> > 1 ? second + i : nullptr);
  }
}

template <class T>
void set_update_loops(ElementwiseFunctions& functions) {
  set_updates(functions, [](auto kind, auto decay) -> Run { return run_update<T, kind.value, decay.value>; });
}

}  // namespace gdbench::backends::cpu
