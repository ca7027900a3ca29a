// Internal to verify: parameters that every update rounds to a mixed dtype's operands (Problem::parameter_rounding),
// as docs/arithmetic.md ("Mixed precision") defines it, and how many of them rounding errors may round otherwise.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

// Of the step that led to `state`; keeps what they were before in state.unrounded. Nothing where none are rounded.
template <class T>
void round_parameters(const scenario::Problem& problem, ReferenceState<T>& state);

// For each parameter the 2-norm of what may come of entries that were off by error(parameter, entry) when that step
// rounded them: a spacing where another neighbour may be chosen, or the error where that is more.
template <class T>
std::vector<double> undecided_parameters(const scenario::Problem& problem, const ReferenceState<T>& state,
                                         const std::function<double(std::size_t, std::size_t)>& error);

}  // namespace gdbench::verify
