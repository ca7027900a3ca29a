// The formulas of the catalogue's values where a kernel gets at run time which one applies: what it branches by is
// the same for all of its threads, and a kernel of its own for each value would take seconds to compile. Kernels that
// are bound by memory and do nothing else take theirs when they are compiled (elementwise.h). Each works on the few
// entries that a thread has, so that it branches once for all of them.
//
// The formulas that most networks have are where they are used, and the others are called: all of them in line,
// wherever a kernel of whole trainings may need them, were 145 kB of code, and are 100 now.
#pragma once

#include <cstddef>
#include <type_traits>

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

// catalogue::with, on a device, too: visit(std::integral_constant) with the value, and what it returns.
template <class Enum, std::size_t i = 0, class Visitor>
GDBENCH_HOST_DEVICE auto with_row(Enum value, const Visitor& visit) {
  if constexpr (i + 1 < catalogue::kCount<Enum>) {
    if (value != static_cast<Enum>(i)) return with_row<Enum, i + 1>(value, visit);
  }
  return visit(std::integral_constant<Enum, static_cast<Enum>(i)>());
}

// Of each entry the activation or, with `derivative`, its derivative.
template <bool derivative, class Rule, class T, int n>
GDBENCH_HOST_DEVICE void apply(T (&entries)[n]) {
  for (T& entry : entries) {
    if constexpr (derivative) {
      entry = Rule::derivative(entry);
    } else {
      entry = Rule::value(entry);
    }
  }
}
template <bool derivative, class T, int n>
GDBENCH_HOST_DEVICE GDBENCH_CALLED Entries<T, n> applied(Activation activation, Entries<T, n> entries) {
  with_row(activation, [&](auto row) { apply<derivative, RuleOf<decltype(row)::value>>(entries.values); });
  return entries;
}
template <bool derivative, class T, int n>
GDBENCH_HOST_DEVICE void apply(Activation activation, T (&entries)[n]) {
  if (activation == Activation::relu) return apply<derivative, RuleOf<Activation::relu>>(entries);
  Entries<T, n> called;
  for (int e = 0; e < n; ++e) called.values[e] = entries[e];
  called = applied<derivative>(activation, called);
  for (int e = 0; e < n; ++e) entries[e] = called.values[e];
}

// z = f(z)
template <class T, int n>
GDBENCH_HOST_DEVICE void activate(Activation activation, T (&z)[n]) {
  if (activation != Activation::identity) apply<false>(activation, z);
}

// d *= f'
template <class T, int n>
GDBENCH_HOST_DEVICE void multiply_by_derivative(Activation activation, const T (&arguments)[n], T (&d)[n]) {
  if (activation == Activation::identity) return;
  T derivatives[n];
  for (int e = 0; e < n; ++e) derivatives[e] = arguments[e];
  apply<true>(activation, derivatives);
  for (int e = 0; e < n; ++e) d[e] *= derivatives[e];
}

template <class T>
GDBENCH_HOST_DEVICE GDBENCH_CALLED T slope_of(Loss loss, T p, T y, T delta) {
  return with_row(loss, [&](auto row) {
    constexpr Loss kLoss = decltype(row)::value;
    if constexpr (kCouplesColumns<kLoss>) {
      return p;  // never asked of these
    } else {
      return RuleOf<kLoss>::slope(p, y, delta);
    }
  });
}

// p = the slope of a loss of entries at outputs p.
template <class T, int n>
GDBENCH_HOST_DEVICE void take_loss_slope(Loss loss, const T (&y)[n], T delta, T (&p)[n]) {
  for (int e = 0; e < n; ++e) {
    p[e] = loss == Loss::mse ? RuleOf<Loss::mse>::slope(p[e], y[e], delta) : slope_of(loss, p[e], y[e], delta);
  }
}

// The decay comes before the rule, as in updated() of rules/updates.h.
template <class T>
GDBENCH_HOST_DEVICE GDBENCH_CALLED T updated_by_call(OptimizerKind kind, Decay decay, UpdateStep<T> step, T p, T g,
                                                     T* first, T* second) {
  if (decay == Decay::coupled) g += step.weight_decay * p;
  if (decay == Decay::decoupled) p -= step.shrinkage * p;
  return with_row(kind,
                  [&](auto row) { return updated<decltype(row)::value, Decay::none>(step, p, g, first, second); });
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
