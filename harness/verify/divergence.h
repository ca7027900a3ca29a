// Whether a scenario's training diverges: its own fault, which no implementation may be blamed for.
#pragma once

#include <cstdint>

#include "harness/base/result.h"
#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify {

// Follows `steps` steps from `start` in double, or as many as are affordable. Errors: the training diverges; the line
// names the key, the losses and the step, and where they are known the largest stable learning rate and that of
// standardised features. What a stream could not read is no error here.
Status check_convergence(const scenario::Problem& problem, const data::Dataset& dataset, const scenario::State& start,
                         std::int64_t steps);

// About how many seconds that takes where nothing diverges.
double convergence_seconds(const scenario::Problem& problem, std::int64_t steps);

}  // namespace gdbench::verify
