// The formulas of the catalogue's values where a kernel is told at run time which one applies: what it branches by is
// the same for all of its threads, and a kernel of its own for each value would take seconds to compile. Kernels that
// are bound by memory and do nothing else take theirs when they are compiled (elementwise.h). Each works on the few
// entries that a thread has, so that it branches once for all of them.
//
// The formulas that most networks have are where they are used, and the others are called: all of them in line,
// wherever a kernel of whole trainings may need them, were 145 kB of code, and are 100 now.
#pragma once

#include <cstddef>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/common/rules/updates.h"

#ifdef __CUDACC__
#define GDBENCH_CALLED __noinline__
#else
#define GDBENCH_CALLED [[gnu::noinline]]
#endif

namespace gdbench::backends::cuda {

// By value, so that a call passes them in registers.
template <class T, int n>
struct Entries {
  T values[n];
};

template <std::size_t i = 0, class T, int n>
GDBENCH_HOST_DEVICE void activate_by(Activation activation, T (&z)[n]) {
  if constexpr (i + 1 < catalogue::kCount<Activation>) {
    if (activation != static_cast<Activation>(i)) return activate_by<i + 1>(activation, z);
  }
  for (T& entry : z) entry = RuleOf<static_cast<Activation>(i)>::value(entry);
}
template <class T, int n>
GDBENCH_HOST_DEVICE GDBENCH_CALLED Entries<T, n> activated(Activation activation, Entries<T, n> z) {
  activate_by(activation, z.values);
  return z;
}

// z = f(z)
template <class T, int n>
GDBENCH_HOST_DEVICE void activate(Activation activation, T (&z)[n]) {
  if (activation == Activation::identity) return;
  if (activation == Activation::relu) {
    for (T& entry : z) entry = RuleOf<Activation::relu>::value(entry);
    return;
  }
  Entries<T, n> entries;
  for (int e = 0; e < n; ++e) entries.values[e] = z[e];
  entries = activated(activation, entries);
  for (int e = 0; e < n; ++e) z[e] = entries.values[e];
}

template <std::size_t i = 0, class T, int n>
GDBENCH_HOST_DEVICE void differentiate_by(Activation activation, T (&told)[n]) {
  if constexpr (i + 1 < catalogue::kCount<Activation>) {
    if (activation != static_cast<Activation>(i)) return differentiate_by<i + 1>(activation, told);
  }
  for (T& entry : told) entry = RuleOf<static_cast<Activation>(i)>::derivative(entry);
}
template <class T, int n>
GDBENCH_HOST_DEVICE GDBENCH_CALLED Entries<T, n> derivatives(Activation activation, Entries<T, n> told) {
  differentiate_by(activation, told.values);
  return told;
}

// d *= f'
template <class T, int n>
GDBENCH_HOST_DEVICE void multiply_by_derivative(Activation activation, const T (&told)[n], T (&d)[n]) {
  if (activation == Activation::identity) return;
  if (activation == Activation::relu) {
    for (int e = 0; e < n; ++e) d[e] *= RuleOf<Activation::relu>::derivative(told[e]);
    return;
  }
  Entries<T, n> entries;
  for (int e = 0; e < n; ++e) entries.values[e] = told[e];
  entries = derivatives(activation, entries);
  for (int e = 0; e < n; ++e) d[e] *= entries.values[e];
}

template <std::size_t i = 0, class T>
GDBENCH_HOST_DEVICE T slope_by(Loss loss, T p, T y, T delta) {
  if constexpr (i + 1 < catalogue::kCount<Loss>) {
    if (loss != static_cast<Loss>(i)) return slope_by<i + 1>(loss, p, y, delta);
  }
  if constexpr (kCouplesColumns<static_cast<Loss>(i)>)
    return p;  // never asked of these
  else
    return RuleOf<static_cast<Loss>(i)>::slope(p, y, delta);
}
template <class T>
GDBENCH_HOST_DEVICE GDBENCH_CALLED T slope_of(Loss loss, T p, T y, T delta) {
  return slope_by(loss, p, y, delta);
}

// p = the slope of a loss of entries at outputs p.
template <class T, int n>
GDBENCH_HOST_DEVICE void take_loss_slope(Loss loss, const T (&y)[n], T delta, T (&p)[n]) {
  for (int e = 0; e < n; ++e) {
    p[e] = loss == Loss::mse ? RuleOf<Loss::mse>::slope(p[e], y[e], delta) : slope_of(loss, p[e], y[e], delta);
  }
}

// The decay comes before the rule, as in updated() of rules/updates.h.
template <std::size_t i = 0, class T>
GDBENCH_HOST_DEVICE T update_by(OptimizerKind kind, Decay decay, const UpdateStep<T>& step, T p, T g, T* first,
                                T* second) {
  if constexpr (i + 1 < catalogue::kCount<OptimizerKind>) {
    if (kind != static_cast<OptimizerKind>(i)) return update_by<i + 1>(kind, decay, step, p, g, first, second);
  }
  if (decay == Decay::coupled) g += step.weight_decay * p;
  if (decay == Decay::decoupled) p -= step.shrinkage * p;
  return updated<static_cast<OptimizerKind>(i), Decay::none>(step, p, g, first, second);
}
template <class T>
GDBENCH_HOST_DEVICE GDBENCH_CALLED T updated_by_call(OptimizerKind kind, Decay decay, UpdateStep<T> step, T p, T g,
                                                     T* first, T* second) {
  return update_by(kind, decay, step, p, g, first, second);
}

// A parameter's value after an update by its gradient. A slot that the rule does not have is not read.
template <class T>
GDBENCH_HOST_DEVICE T updated_by(OptimizerKind kind, Decay decay, const UpdateStep<T>& step, T p, T g, T* first,
                                 T* second) {
  if (kind == OptimizerKind::sgd && decay == Decay::none) {
    return updated<OptimizerKind::sgd, Decay::none>(step, p, g, first, second);
  }
  return updated_by_call(kind, decay, step, p, g, first, second);
}

}  // namespace gdbench::backends::cuda
