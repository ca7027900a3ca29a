// How many steps make a timed block of a cell?
#pragma once

#include "harness/measure/cell_worker.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// Finds the steps of a block and what an empty one reads (cell.block). `launch`: what the worker's start took. Errors:
// the worker failed, or came back from run before the work was done.
Status calibrate_block(CellWorker& worker, const PlannedScenario& planned, const PlannedCell& planned_cell,
                       const RunOptions& options, const report::Launch& launch, report::Cell& cell);

}  // namespace gdbench::measure
