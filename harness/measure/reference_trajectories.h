// What cells are compared with, and the problem that each of them is given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"
#include "harness/verify/reference_trajectory.h"
#include "harness/verify/trajectory_cache.h"

namespace gdbench::measure {

// The problem that a cell's worker is given.
scenario::Problem trained_problem(const PlannedScenario& planned, const PlannedCell& cell);

// The same as the cell's implementation computes it: with what it rounds.
scenario::Problem problem_of(const PlannedScenario& planned, const PlannedCell& cell);

// The same with the learning rate of timed blocks.
scenario::Problem timed_problem(const PlannedScenario& planned, const PlannedCell& cell, const report::Block& block);

// The trajectories that verification compares: one for the cells of a scenario, with a mixed dtype a single step
// besides, and others for those whose implementations round more: products to TF32, results, or parameters.
class ReferenceTrajectories {
 public:
  // `planned` must outlive it. Makes the first one, or finds it in the options' folder (empty: none), where it is kept
  // if it took long to make. None takes more memory than a worker may.
  ReferenceTrajectories(const PlannedScenario& planned, const RunOptions& options);

  // The scenario is unfit for comparison: its training diverges or moves too little, or its model is too large.
  Status status() const { return kinds_.at("").whole; }
  // Of the cell's arithmetic, made when it is first asked for. Its error concerns that cell alone where status() is
  // fine: the scenario is unfit for so coarse an arithmetic.
  const Result<verify::ReferenceTrajectory>& of(const PlannedCell& cell) { return kind_of(cell).whole; }
  // The step that tells a mixed dtype, of which its error says the same; null with others, or where of() is none.
  const Result<verify::ReferenceTrajectory>* single_step(const PlannedCell& cell);
  // The same step without rounding, which a cell that rounds results must not make; null with others.
  const Result<verify::ReferenceTrajectory>* uniform_step(const PlannedCell& cell);

 private:
  struct Kind {
    explicit Kind(Result<verify::ReferenceTrajectory> trajectory) : whole(std::move(trajectory)) {}

    Result<verify::ReferenceTrajectory> whole;
    std::optional<Result<verify::ReferenceTrajectory>> single_step{};
  };

  Result<verify::ReferenceTrajectory> find_or_make(const scenario::Problem& problem) const;
  Kind& kind_of(const PlannedCell& cell);

  const PlannedScenario& planned_;
  verify::TrajectoryCache cache_;
  std::int64_t memory_cap_bytes_;
  std::map<std::string, Kind> kinds_;  // by what departs from the scenario's own problem
  std::optional<Result<verify::ReferenceTrajectory>> uniform_step_;
};

}  // namespace gdbench::measure
