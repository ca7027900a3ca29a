// What an implementation says it offers, held against what the host asks for.
#pragma once

#include "gdbench/plugin.h"

namespace gdbench::plugins {

// Throws Failure: GDBENCH_UNSUPPORTED with a reason for what the masks and limits of `implementation` exclude,
// GDBENCH_INVALID where data and problem do not fit together.
void check_request(const gdbench_implementation& implementation, const gdbench_data& data,
                   const gdbench_problem& problem, const gdbench_settings& settings);

}  // namespace gdbench::plugins
