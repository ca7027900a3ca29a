// What the kernels of an optimizer's update have in common: which of them a request means, and their constants.
//
// The rules are PyTorch's (torch.optim). Weight decay is coupled where wd times the parameter is added to the gradient
// before the rule sees it, and decoupled where the parameter loses (learning rate) wd times itself before the rule
// changes it (torch.optim.AdamW).
#pragma once

#include "implementations/kernels/cpu/call.h"

namespace gdbench::kernels::cpu {

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
        weight_decay(static_cast<T>(optimizer.weight_decay)) {}

  T momentum;
  T beta1;
  T rest_of_beta1;  // 1 - beta1
  T beta2;
  T rest_of_beta2;
  T rho;
  T rest_of_rho;
  T epsilon;
  T weight_decay;
};

// The update of a parameter [rows, columns].
template <class T>
struct UpdateCall : ShapedCall {
  explicit UpdateCall(const Request& request)
      : ShapedCall(request.operands[2]), constants(*request.optimizer), weight_decay(request.optimizer->weight_decay) {}

  UpdateConstants<T> constants;
  double weight_decay;
};

// All that the update of an entry reads but the entry: a local copy, so that compilers keep it in registers.
template <class T>
struct UpdateStep : UpdateConstants<T> {
  UpdateStep(const UpdateCall<T>& call, const UpdateScalars& scalars)
      : UpdateConstants<T>(call.constants),
        rate(static_cast<T>(scalars.learning_rate)),
        shrinkage(static_cast<T>(scalars.learning_rate * call.weight_decay)),
        corrected_rate(static_cast<T>(scalars.learning_rate * scalars.first_moment_factor)),
        root_factor(static_cast<T>(scalars.second_moment_root_factor)) {}

  T rate;
  T shrinkage;       // what decoupled decay takes off a parameter of 1
  T corrected_rate;  // Adam's rate / (1 - beta1^t)
  T root_factor;     // 1 / sqrt(1 - beta2^t)
};

}  // namespace gdbench::kernels::cpu
