// Where a verified cell's step spends its time.
#pragma once

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/result/profile.h"
#include "harness/result/report.h"

namespace gdbench::measure {

// Verifies the cell, then runs profiled and unprofiled blocks in turn in one fresh process; the profiled block of
// median length is kept. Errors: the cell is not right (usage), it offers no profile (unsupported), its worker failed.
Result<result::Profile> profile_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                     const RunOptions& options, result::Cell& cell);

}  // namespace gdbench::measure
