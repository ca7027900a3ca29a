// The formulas of the catalogue's values where a kernel is told at run time which one applies: what it branches by is
// the same for all of its threads, and a kernel of its own for each value would take seconds to compile. Kernels that
// are bound by memory and do nothing else take theirs when they are compiled (elementwise.h). Each works on the few
// entries that a thread has, so that it branches once for all of them.
#pragma once

#include <cstddef>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/common/rules/updates.h"

namespace gdbench::backends::cuda {

// z = f(z)
template <std::size_t i = 0, class T, int n>
GDBENCH_HOST_DEVICE void activate(Activation activation, T (&z)[n]) {
  if constexpr (i + 1 < catalogue::kCount<Activation>) {
    if (activation != static_cast<Activation>(i)) return activate<i + 1>(activation, z);
  }
  for (T& entry : z) entry = RuleOf<static_cast<Activation>(i)>::value(entry);
}

// d *= f'
template <std::size_t i = 0, class T, int n>
GDBENCH_HOST_DEVICE void multiply_by_derivative(Activation activation, const T (&told)[n], T (&d)[n]) {
  if constexpr (i + 1 < catalogue::kCount<Activation>) {
    if (activation != static_cast<Activation>(i)) return multiply_by_derivative<i + 1>(activation, told, d);
  }
  for (int e = 0; e < n; ++e) d[e] *= RuleOf<static_cast<Activation>(i)>::derivative(told[e]);
}

// p = the slope of a loss of entries at outputs p.
template <std::size_t i = 0, class T, int n>
GDBENCH_HOST_DEVICE void take_loss_slope(Loss loss, const T (&y)[n], T delta, T (&p)[n]) {
  if constexpr (i + 1 < catalogue::kCount<Loss>) {
    if (loss != static_cast<Loss>(i)) return take_loss_slope<i + 1>(loss, y, delta, p);
  }
  if constexpr (!kCouplesColumns<static_cast<Loss>(i)>) {  // never asked of others
    for (int e = 0; e < n; ++e) p[e] = RuleOf<static_cast<Loss>(i)>::slope(p[e], y[e], delta);
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
