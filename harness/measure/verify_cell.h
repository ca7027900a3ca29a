// A cell's first launch: is it right, and how many steps make a block?
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"
#include "harness/verify/reference_trajectory.h"
#include "harness/verify/trajectory_cache.h"

namespace gdbench::measure {

// The trajectories that verification compares: one for the cells of a scenario, with a mixed dtype a single step
// besides, and others for those whose implementations round more: products to TF32, results, or parameters.
class ReferenceTrajectories {
 public:
  // `planned` must outlive it. Makes the first one, or finds it in the options' folder (empty: none), where it is kept
  // if it took long to make. None takes more memory than a worker may.
  ReferenceTrajectories(const PlannedScenario& planned, const RunOptions& options);

  // The scenario is unfit for comparison: its training diverges or moves too little, or its model is too large.
  Status status() const;
  // Of the cell's arithmetic, made when it is first asked for. Its error concerns that cell alone where status() is
  // fine: the scenario is unfit for so coarse an arithmetic.
  const Result<verify::ReferenceTrajectory>& of(const PlannedCell& cell);
  // The step that tells a mixed dtype, of which its error says the same; null with others, or where of() is none.
  const Result<verify::ReferenceTrajectory>* single_step(const PlannedCell& cell);
  // The same step without rounding, which a cell that rounds results must not make; null with others.
  const Result<verify::ReferenceTrajectory>* uniform_step(const PlannedCell& cell);

 private:
  Result<verify::ReferenceTrajectory> find_or_make(const scenario::Problem& problem) const;

  const PlannedScenario& planned_;
  verify::TrajectoryCache cache_;
  std::int64_t memory_cap_bytes_;
  Result<verify::ReferenceTrajectory> full_;
  // By what departs from the scenario's own problem.
  std::map<std::string, std::optional<Result<verify::ReferenceTrajectory>>> coarse_;
  std::map<std::string, std::optional<Result<verify::ReferenceTrajectory>>> single_steps_;
  std::optional<Result<verify::ReferenceTrajectory>> uniform_step_;
};

// Runs the reference trajectory's trajectory and, in two parts, the same again; fills cell.verification and
// cell.status. With `calibrate`, goes on to find the steps of a block and what an empty block reads (cell.block).
// Errors: the system lets no worker be started, which is no fault of the cell's.
Status verify_cell(const PlannedScenario& planned, const PlannedCell& planned_cell, ReferenceTrajectories& references,
                   const RunOptions& options, bool calibrate, report::Cell& cell);

// What the reference makes of a state: its loss over all rows of the training data.
double reference_loss(const PlannedScenario& planned, const scenario::State& state);

// The problem that a cell's worker is given.
scenario::Problem trained_problem(const PlannedScenario& planned, const PlannedCell& cell);

// The same as the cell's implementation computes it: with what it rounds.
scenario::Problem problem_of(const PlannedScenario& planned, const PlannedCell& cell);

// The same with the learning rate of timed blocks.
scenario::Problem timed_problem(const PlannedScenario& planned, const PlannedCell& cell, const report::Block& block);

// The same for a cell of a report. Cells of one unit are timed in blocks of the same number of steps, that of the first
// which is ok: what is compared must do the same. False where it was cancelled, and the cell is not judged.
Result<bool> verify_in_unit(const PlannedScenario& planned, const PlannedCell& planned_cell,
                            ReferenceTrajectories& references, const RunOptions& options, bool calibrate,
                            report::Report& report);

}  // namespace gdbench::measure
