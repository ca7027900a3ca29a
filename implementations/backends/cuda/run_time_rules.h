// The formulas of the catalogue's values where a kernel is told at run time which one applies: what it branches by is
// the same for all of its threads, and a kernel of its own for each value would take seconds to compile. Kernels that
// are bound by memory and do nothing else take theirs when they are compiled (elementwise.h).
#pragma once

#include <cstddef>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/common/rules/updates.h"

namespace gdbench::backends::cuda {

template <std::size_t i = 0, class T>
GDBENCH_HOST_DEVICE T activated(Activation activation, T z) {
  if constexpr (i + 1 < catalogue::kCount<Activation>) {
    if (activation != static_cast<Activation>(i)) return activated<i + 1>(activation, z);
  }
  return RuleOf<static_cast<Activation>(i)>::value(z);
}

template <std::size_t i = 0, class T>
GDBENCH_HOST_DEVICE T derivative(Activation activation, T told) {
  if constexpr (i + 1 < catalogue::kCount<Activation>) {
    if (activation != static_cast<Activation>(i)) return derivative<i + 1>(activation, told);
  }
  return RuleOf<static_cast<Activation>(i)>::derivative(told);
}

// Of a loss of entries.
template <std::size_t i = 0, class T>
GDBENCH_HOST_DEVICE T loss_slope(Loss loss, T p, T y, T delta) {
  if constexpr (i + 1 < catalogue::kCount<Loss>) {
    if (loss != static_cast<Loss>(i)) return loss_slope<i + 1>(loss, p, y, delta);
  }
  if constexpr (kCouplesColumns<static_cast<Loss>(i)>) {
    return 0;  // never asked for
  } else {
    return RuleOf<static_cast<Loss>(i)>::slope(p, y, delta);
  }
}

// The decay comes before the rule, as in updated() of rules/updates.h. A slot that the rule does not have is not read.
template <std::size_t i = 0, class T>
GDBENCH_HOST_DEVICE T updated_by(OptimizerKind kind, Decay decay, const UpdateStep<T>& step, T p, T g, T* first,
                                 T* second) {
  if constexpr (i + 1 < catalogue::kCount<OptimizerKind>) {
    if (kind != static_cast<OptimizerKind>(i)) return updated_by<i + 1>(kind, decay, step, p, g, first, second);
  }
  if (decay == Decay::coupled) g += step.weight_decay * p;
  if (decay == Decay::decoupled) p -= step.shrinkage * p;
  return updated<static_cast<OptimizerKind>(i), Decay::none>(step, p, g, first, second);
}

}  // namespace gdbench::backends::cuda
