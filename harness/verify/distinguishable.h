// Internal to verify: whether a tolerance tells right results from wrong ones.
#pragma once

#include <string>

#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::verify {

// The error for a trajectory that does not; `what` says why.
Error moves_too_little(const std::string& what);

// Whether one step tells a mixed dtype from what it is most easily mistaken for, the uniform one of its elements. Where
// results are rounded in a way that is not known it cannot; then it has to tell it from none.
Status check_that_rounding_shows(const scenario::Problem& problem, const data::Dataset& dataset,
                                 const ReferenceTrajectory& step);

}  // namespace gdbench::verify
