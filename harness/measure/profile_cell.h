// Where a verified cell's step spends its time.
#pragma once

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/result/profile.h"
#include "harness/result/report.h"

namespace gdbench::measure {

// Runs profiled and unprofiled blocks in turn in one fresh process, `blocks` of each; the profiled block of median
// length is kept. The cell was verified and has its block. Errors: it offers no profile (unsupported), its worker
// failed.
Result<result::Profile> profile_verified_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                              const RunOptions& options, int blocks, const result::Cell& cell);

// Verifies the cell, then does that at length. Errors: as above, or the cell is not right (usage).
Result<result::Profile> profile_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                     const RunOptions& options, result::Cell& cell);

}  // namespace gdbench::measure
