// Internal to verify: how far an error of the gradient moves an optimizer's update.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

// For each parameter: how far, in 2-norm, its value may be off after `steps_left` further steps because the gradient of
// the step that led to `state` was off by gradient_errors[p] in 2-norm. The error is taken to be spread evenly over the
// entries.
//
// sgd passes an error e on as rate e, momentum as rate e (1 + mu + mu^2 ...). The others divide by a root r of squared
// gradients: an entry moves by rate 2 e / (r + epsilon), half of it through the numerator and half through r, and by no
// more than the rule allows a single step altogether, to both sides. An entry whose gradients were all exactly 0 has no
// error: nothing flowed there.
template <class T>
std::vector<double> update_errors(const scenario::Optimizer& optimizer, const ReferenceState<T>& state,
                                  const std::vector<double>& gradient_errors, std::int64_t steps_left);

}  // namespace gdbench::verify
