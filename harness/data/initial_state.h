// What a training starts from.
#pragma once

#include "harness/base/result.h"
#include "harness/scenario/problem.h"
#include "harness/scenario/scenario.h"

namespace gdbench::data {

// Drawn or read parameters, exact in the problem's dtype; scales of a normalization are 1 and shifts 0 where they are
// not read; slots are 0. Errors: as of read_npy_array.
Result<scenario::State> make_initial_state(const scenario::Problem& problem, const scenario::Initial& initial);

}  // namespace gdbench::data
