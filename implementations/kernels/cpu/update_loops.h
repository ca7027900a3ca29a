// Every optimizer's update as a plain loop, one pass over memory; see elementwise_loops.h. To be compiled with
// -fno-math-errno, without which a square root is no vector instruction.
#pragma once

#include <cmath>

#include "implementations/kernels/cpu/functions.h"

namespace gdbench::kernels::cpu {

// Each rule has how far a parameter's entry descends in a step, by its gradient g and its slots, which it brings up to
// date. Constants as in gdbench_optimizer: mu momentum, rate the learning rate, eps epsilon, t the number of the update
// from 1.

// torch.optim.SGD: rate g.
struct Sgd {
  static constexpr std::size_t kSlots = 0;
  template <class T>
  static T descent(const UpdateStep<T>& step, T g) {
    return step.rate * g;
  }
};
// torch.optim.SGD with momentum: b = mu b + g; rate b.
struct Momentum {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  static T descent(const UpdateStep<T>& step, T g, T& b) {
    b = step.momentum * b + g;
    return step.rate * b;
  }
};
// torch.optim.SGD with nesterov: b = mu b + g; rate (g + mu b).
struct Nesterov {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  static T descent(const UpdateStep<T>& step, T g, T& b) {
    b = step.momentum * b + g;
    return step.rate * (g + step.momentum * b);
  }
};
// torch.optim.Adagrad: s = s + g^2; rate g / (sqrt(s) + eps).
struct Adagrad {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  static T descent(const UpdateStep<T>& step, T g, T& s) {
    s += g * g;
    return step.rate * g / (std::sqrt(s) + step.epsilon);
  }
};
// torch.optim.RMSprop: v = rho v + (1 - rho) g^2; rate g / (sqrt(v) + eps).
struct Rmsprop {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  static T descent(const UpdateStep<T>& step, T g, T& v) {
    v = step.rho * v + step.rest_of_rho * g * g;
    return step.rate * g / (std::sqrt(v) + step.epsilon);
  }
};
// torch.optim.Adam; torch.optim.AdamW is the same but for its decay: m = beta1 m + (1 - beta1) g,
// v = beta2 v + (1 - beta2) g^2; rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
struct Adam {
  static constexpr std::size_t kSlots = 2;
  template <class T>
  static T descent(const UpdateStep<T>& step, T g, T& m, T& v) {
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return step.corrected_rate * m / (step.root_factor * std::sqrt(v) + step.epsilon);
  }
};

template <class T, class Rule, Decay decay>
void run_update(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const UpdateCall<T>&>(*call);
  const UpdateStep<T> step(self, *data<const UpdateScalars>(buffers[1]));
  const T* __restrict gradient = data<const T>(buffers[0]);
  T* __restrict parameter = data<T>(buffers[2]);
  T* __restrict first = Rule::kSlots > 0 ? data<T>(buffers[3]) : nullptr;
  T* __restrict second = Rule::kSlots > 1 ? data<T>(buffers[4]) : nullptr;
  for (std::int64_t i = 0; i < self.size(); ++i) {
    T p = parameter[i];
    T g = gradient[i];
    if constexpr (decay == Decay::coupled) g += step.weight_decay * p;
    if constexpr (decay == Decay::decoupled) p -= step.shrinkage * p;
    if constexpr (Rule::kSlots == 0) {
      p -= Rule::descent(step, g);
    } else if constexpr (Rule::kSlots == 1) {
      p -= Rule::descent(step, g, first[i]);
    } else {
      p -= Rule::descent(step, g, first[i], second[i]);
    }
    parameter[i] = p;
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
