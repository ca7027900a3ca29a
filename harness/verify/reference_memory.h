// What the reference takes of this process's memory, so that it is asked for before it is taken.
#pragma once

#include <cstdint>

#include "harness/base/result.h"
#include "harness/base/shared_memory.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify {

// A bound on the bytes that making a problem's reference trajectory and comparing a cell with it take at their peak,
// without the given start state and the data. What they really take is at least two thirds of it, or half of it in a
// network of ReLUs without ties, which are known too late.
double reference_bytes(const scenario::Problem& problem);

// Errors: the start state, which plans hold, takes more than `memory` has.
Status check_start_memory(const scenario::Problem& problem, const MemorySource& memory = {});

// Errors: reference_bytes is more than `cap_bytes`, or than `memory` has; with the figures, and what would help.
Status check_reference_memory(const scenario::Problem& problem, double cap_bytes, const MemorySource& memory = {});

}  // namespace gdbench::verify
