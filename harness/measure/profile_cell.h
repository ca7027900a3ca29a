// Where a verified cell's step spends its time.
#pragma once

#include "harness/measure/cell_worker.h"
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

// The same in a worker that is there and has made its first step; `launch` is its record.
Result<result::Profile> profile_worker(CellWorker& worker, const PlannedScenario& planned, const result::Launch& launch,
                                       int blocks, const result::Cell& cell);

// A glance at where a step's time goes, beside the launches that time it.
constexpr int kBlocksOfAGlance = 3;

// Verifies the cell, then does that at length. Errors: as above, or the cell is not right (usage).
Result<result::Profile> profile_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                     const RunOptions& options, result::Cell& cell);

}  // namespace gdbench::measure
