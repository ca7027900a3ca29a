// The reference: forward, backward and update of a problem in plain loops, in any floating type, independent of every
// implementation. Formulas: see "Conventions of the arithmetic" in ARCHITECTURE.md and the enums of gdbench/plugin.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/scenario/dataset.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify {

// Parameters (and slots) in the arithmetic's type T: float, double or long double; one row-major vector per parameter.
template <class T>
struct ReferenceState {
  std::int64_t step = 0;
  std::vector<std::vector<T>> parameters;
  std::vector<std::vector<T>> slots;
};

template <class T>
struct ReferenceGradients {
  T loss = 0;                              // of the batch, before the update
  std::vector<std::vector<T>> parameters;  // same shapes as the parameters
  // Per parameter, a bound on how much the gradient's 2-norm may differ because a ReLU's pre-activation lies so close
  // to zero that rounding in the problem's dtype decides on which side. 0 where no pre-activation is that close.
  std::vector<double> tie_allowance;
};

template <class T>
ReferenceState<T> to_reference(const scenario::State& state);

// Gradients of step state.step's batch.
template <class T>
ReferenceGradients<T> gradients(const scenario::Problem& problem, const scenario::Dataset& dataset,
                                const ReferenceState<T>& state);

// `steps` updates; returns the loss of each step's batch before its update.
template <class T>
std::vector<T> train(const scenario::Problem& problem, const scenario::Dataset& dataset, ReferenceState<T>& state,
                     std::int64_t steps);

// The loss over all rows of the training data.
template <class T>
T evaluate(const scenario::Problem& problem, const scenario::Dataset& dataset, const ReferenceState<T>& state);

}  // namespace gdbench::verify
