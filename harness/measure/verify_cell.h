// A cell's first launch: is it right, and how many steps make a block?
#pragma once

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/measure/reference_trajectories.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// Runs the reference trajectory's trajectory and, in two parts, the same again; fills cell.verification and
// cell.status. With `calibrate`, goes on to find the steps of a block and what an empty block reads (cell.block).
// Errors: the system lets no worker be started, which is no fault of the cell's.
Status verify_cell(const PlannedScenario& planned, const PlannedCell& planned_cell, ReferenceTrajectories& references,
                   const RunOptions& options, bool calibrate, report::Cell& cell);

// The same for a cell of a report. Cells of one unit are timed in blocks of the same number of steps, that of the first
// which is ok: what is compared must do the same. False where it was cancelled, and the cell is not judged.
Result<bool> verify_in_unit(const PlannedScenario& planned, const PlannedCell& planned_cell,
                            ReferenceTrajectories& references, const RunOptions& options, bool calibrate,
                            report::Report& report);

// Every cell of a scenario whose data are held. False as above.
Result<bool> verify_scenario(const PlannedScenario& planned, const RunOptions& options, bool calibrate,
                             report::Report& report);

// Verifies every planned cell and times none: a scenario after another. Errors: a scenario whose reference diverges.
Status verify_all(Plan& plan, const RunOptions& options, report::Report& report);

// What the reference makes of a state: its loss over all rows of the training data.
double reference_loss(const PlannedScenario& planned, const scenario::State& state);

}  // namespace gdbench::measure
