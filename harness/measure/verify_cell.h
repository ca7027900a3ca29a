// A cell's first launch: is it right, and how many steps make a block?
#pragma once

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/result/report.h"
#include "harness/verify/yardstick.h"

namespace gdbench::measure {

// The trajectory that verification compares, made once per scenario.
Result<verify::Yardstick> make_yardstick_for(const PlannedScenario& planned, std::uint64_t seed);

// Runs the yardstick's trajectory and, in two parts, the same again; fills cell.verification and cell.status.
// With `calibrate`, goes on to find the steps of a block and what an empty block reads (cell.block).
void verify_cell(const PlannedScenario& planned, const PlannedCell& planned_cell, const verify::Yardstick& yardstick,
                 const RunOptions& options, bool calibrate, result::Cell& cell);

// What the reference makes of a state: its loss over all rows of the training data.
double reference_loss(const PlannedScenario& planned, const scenario::State& state);

// The scenario's problem with the learning rate of timed blocks.
scenario::Problem timed_problem(const PlannedScenario& planned, const result::Block& block);

// Cells of one unit are timed in blocks of the same number of steps, that of the first which is ok: what is compared
// must do the same. Call after verify_cell.
void adopt_block_of_unit(const PlannedScenario& planned, const PlannedCell& cell, result::Report& report);

}  // namespace gdbench::measure
