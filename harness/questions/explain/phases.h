// What two cells' profiles say of the difference between their steps, phase by phase and op by op.
#pragma once

#include <optional>

#include "harness/report/explanation.h"

namespace gdbench::explain {

report::ProfileBasis profile_basis(const report::Cell& cell, double step_ns);

// Nothing where both steps are profiled in one piece.
std::optional<report::ProfileDifference> profile_difference(const report::Cell& a, const report::Cell& b,
                                                            const report::CellDifference& difference);

}  // namespace gdbench::explain
