// Every optimizer's update as a plain loop, one pass over memory; see elementwise_loops.h. To be compiled with
// -fno-math-errno, without which a square root is no vector instruction.
#pragma once

#include "implementations/kernels/cpu/functions.h"

namespace gdbench::kernels::cpu {

template <class T, class Rule, Decay decay>
void run_update(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const UpdateCall<T>&>(*call);
  const UpdateStep<T> step(self.constants, *data<const UpdateScalars>(buffers[1]));
  const T* __restrict gradient = data<const T>(buffers[0]);
  T* __restrict parameter = data<T>(buffers[2]);
  T* __restrict first = Rule::kSlots > 0 ? data<T>(buffers[3]) : nullptr;
  T* __restrict second = Rule::kSlots > 1 ? data<T>(buffers[4]) : nullptr;
  for (std::int64_t i = 0; i < self.size(); ++i) {
    parameter[i] = updated<Rule, decay>(step, parameter[i], gradient[i], Rule::kSlots > 0 ? first + i : nullptr,
                                        Rule::kSlots > 1 ? second + i : nullptr);
  }
}

template <class T, class Rule>
void set_update_loops(Run (&update)[kDecayCount]) {
  update[static_cast<std::size_t>(Decay::none)] = run_update<T, Rule, Decay::none>;
  update[static_cast<std::size_t>(Decay::coupled)] = run_update<T, Rule, Decay::coupled>;
  update[static_cast<std::size_t>(Decay::decoupled)] = run_update<T, Rule, Decay::decoupled>;
}

template <class T>
void set_update_loops(ElementwiseFunctions& functions) {
  set_update_loops<T, Sgd>(functions.update[GDBENCH_SGD]);
  set_update_loops<T, Momentum>(functions.update[GDBENCH_MOMENTUM]);
  set_update_loops<T, Nesterov>(functions.update[GDBENCH_NESTEROV]);
  set_update_loops<T, Adagrad>(functions.update[GDBENCH_ADAGRAD]);
  set_update_loops<T, Rmsprop>(functions.update[GDBENCH_RMSPROP]);
  set_update_loops<T, Adam>(functions.update[GDBENCH_ADAM]);
  set_update_loops<T, Adam>(functions.update[GDBENCH_ADAMW]);
}

}  // namespace gdbench::kernels::cpu
