// What two cells' profiles say of the difference between their steps, phase by phase and op by op.
#pragma once

#include <optional>

#include "harness/report/explanation.h"

namespace gdbench::explain {

report::ProfileBasis profile_basis(const report::Cell& cell, double step_ns);

// `ratio`: of a's time to b's. Nothing where both steps are profiled in one piece.
std::optional<report::ProfileDifference> profile_difference(const report::Cell& a, const report::Cell& b,
                                                            const stats::Estimate& ratio);

}  // namespace gdbench::explain
