// Small profiles made by hand; their figures are invented.
#pragma once

#include "harness/report/profile.h"

namespace gdbench::tests {

// 100 ns profiled: 40 forward, 30 backward, 30 unattributed; compiling once took longer than any step.
report::Profile example_profile();

// Two layers and one update of both.
report::Profile layered_profile();

}  // namespace gdbench::tests
