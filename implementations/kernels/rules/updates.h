// What each optimizer does to an entry of a parameter.
//
// The rules are PyTorch's (torch.optim). Weight decay is coupled where wd times the parameter is added to the gradient
// before the rule sees it, and decoupled where the parameter loses (learning rate) wd times itself before the rule
// changes it (torch.optim.AdamW).
#pragma once

#include <cmath>
#include <type_traits>

#include "implementations/kernels/kernels.h"
#include "implementations/kernels/rules/host_device.h"

namespace gdbench::kernels {

constexpr std::size_t kOptimizerCount = static_cast<std::size_t>(GDBENCH_ADAMW) + 1;

// The optimizers of a backend that has all of them.
constexpr std::uint32_t kAllOptimizers = GDBENCH_BIT(kOptimizerCount) - 1;

enum class Decay : std::uint32_t { none, coupled, decoupled };
constexpr std::size_t kDecayCount = 3;

inline Decay decay_of(const gdbench_optimizer& optimizer) {
  if (optimizer.weight_decay == 0) return Decay::none;
  const bool decoupled = optimizer.kind == GDBENCH_ADAMW || optimizer.decoupled_weight_decay != 0;
  return decoupled ? Decay::decoupled : Decay::coupled;
}

// An optimizer's constants, converted once.
template <class T>
struct UpdateConstants {
  explicit UpdateConstants(const gdbench_optimizer& optimizer)
      : momentum(static_cast<T>(optimizer.momentum)),
        beta1(static_cast<T>(optimizer.beta1)),
        rest_of_beta1(static_cast<T>(1 - optimizer.beta1)),
        beta2(static_cast<T>(optimizer.beta2)),
        rest_of_beta2(static_cast<T>(1 - optimizer.beta2)),
        rho(static_cast<T>(optimizer.rho)),
        rest_of_rho(static_cast<T>(1 - optimizer.rho)),
        epsilon(static_cast<T>(optimizer.epsilon)),
        weight_decay(static_cast<T>(optimizer.weight_decay)),
        exact_weight_decay(optimizer.weight_decay) {}

  T momentum;
  T beta1;
  T rest_of_beta1;  // 1 - beta1
  T beta2;
  T rest_of_beta2;
  T rho;
  T rest_of_rho;
  T epsilon;
  T weight_decay;
  double exact_weight_decay;
};

// All that the update of an entry reads but the entry: a local copy, so that compilers keep it in registers.
template <class T>
struct UpdateStep : UpdateConstants<T> {
  GDBENCH_HOST_DEVICE UpdateStep(const UpdateConstants<T>& constants, const UpdateScalars& scalars)
      : UpdateConstants<T>(constants),
        rate(static_cast<T>(scalars.learning_rate)),
        shrinkage(static_cast<T>(scalars.learning_rate * constants.exact_weight_decay)),
        corrected_rate(static_cast<T>(scalars.learning_rate * scalars.first_moment_factor)),
        root_factor(static_cast<T>(scalars.second_moment_root_factor)) {}

  T rate;
  T shrinkage;       // what decoupled decay takes off a parameter of 1
  T corrected_rate;  // Adam's rate / (1 - beta1^t)
  T root_factor;     // 1 / sqrt(1 - beta2^t)
};

// Each rule has how far a parameter's entry descends in a step, by its gradient g and its slots, which it brings up to
// date. Constants as in gdbench_optimizer: mu momentum, rate the learning rate, eps epsilon, t the number of the update
// from 1.

// torch.optim.SGD: rate g.
struct Sgd {
  static constexpr std::size_t kSlots = 0;
  template <class T>
  GDBENCH_HOST_DEVICE static T descent(const UpdateStep<T>& step, T g) {
    return step.rate * g;
  }
};
// torch.optim.SGD with momentum: b = mu b + g; rate b.
struct Momentum {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  GDBENCH_HOST_DEVICE static T descent(const UpdateStep<T>& step, T g, T& b) {
    b = step.momentum * b + g;
    return step.rate * b;
  }
};
// torch.optim.SGD with nesterov: b = mu b + g; rate (g + mu b).
struct Nesterov {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  GDBENCH_HOST_DEVICE static T descent(const UpdateStep<T>& step, T g, T& b) {
    b = step.momentum * b + g;
    return step.rate * (g + step.momentum * b);
  }
};
// torch.optim.Adagrad: s = s + g^2; rate g / (sqrt(s) + eps).
struct Adagrad {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  GDBENCH_HOST_DEVICE static T descent(const UpdateStep<T>& step, T g, T& s) {
    s += g * g;
    return step.rate * g / (std::sqrt(s) + step.epsilon);
  }
};
// torch.optim.RMSprop: v = rho v + (1 - rho) g^2; rate g / (sqrt(v) + eps).
struct Rmsprop {
  static constexpr std::size_t kSlots = 1;
  template <class T>
  GDBENCH_HOST_DEVICE static T descent(const UpdateStep<T>& step, T g, T& v) {
    v = step.rho * v + step.rest_of_rho * g * g;
    return step.rate * g / (std::sqrt(v) + step.epsilon);
  }
};
// torch.optim.Adam; torch.optim.AdamW is the same but for its decay: m = beta1 m + (1 - beta1) g,
// v = beta2 v + (1 - beta2) g^2; rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
struct Adam {
  static constexpr std::size_t kSlots = 2;
  template <class T>
  GDBENCH_HOST_DEVICE static T descent(const UpdateStep<T>& step, T g, T& m, T& v) {
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return step.corrected_rate * m / (step.root_factor * std::sqrt(v) + step.epsilon);
  }
};

// A parameter's entry after the update by its gradient, which brings its slots up to date.
template <class Rule, Decay decay, class T>
GDBENCH_HOST_DEVICE T updated(const UpdateStep<T>& step, T p, T g, T* first, T* second) {
  if constexpr (decay == Decay::coupled) g += step.weight_decay * p;
  if constexpr (decay == Decay::decoupled) p -= step.shrinkage * p;
  if constexpr (Rule::kSlots == 0) return p - Rule::descent(step, g);
  if constexpr (Rule::kSlots == 1) return p - Rule::descent(step, g, *first);
  if constexpr (Rule::kSlots == 2) return p - Rule::descent(step, g, *first, *second);
}

template <class Rule, class Make>
auto with_decay(const gdbench_optimizer& optimizer, Make make) {
  switch (decay_of(optimizer)) {
    case Decay::coupled:
      return make(Rule(), std::integral_constant<Decay, Decay::coupled>());
    case Decay::decoupled:
      return make(Rule(), std::integral_constant<Decay, Decay::decoupled>());
    case Decay::none:
      break;
  }
  return make(Rule(), std::integral_constant<Decay, Decay::none>());
}

// Calls `make(rule, decay)` with an optimizer's rule and its std::integral_constant<Decay>, and returns the pointer
// that it returns; null for an optimizer that is not known.
template <class Make>
auto with_rule(const gdbench_optimizer& optimizer, Make make)
    -> decltype(make(Sgd(), std::integral_constant<Decay, Decay::none>())) {
  switch (optimizer.kind) {
    case GDBENCH_SGD:
      return with_decay<Sgd>(optimizer, make);
    case GDBENCH_MOMENTUM:
      return with_decay<Momentum>(optimizer, make);
    case GDBENCH_NESTEROV:
      return with_decay<Nesterov>(optimizer, make);
    case GDBENCH_ADAGRAD:
      return with_decay<Adagrad>(optimizer, make);
    case GDBENCH_RMSPROP:
      return with_decay<Rmsprop>(optimizer, make);
    case GDBENCH_ADAM:
    case GDBENCH_ADAMW:
      return with_decay<Adam>(optimizer, make);
    default:
      return nullptr;
  }
}

}  // namespace gdbench::kernels
