// How many steps a verified cell takes to the scenario's target loss.
#pragma once

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// What trainings to a target may take together, as a part of a run's budget.
constexpr double kTargetShareOfBudget = 0.25;

// Trains in one fresh process from the start state, with the scenario's own learning rates, for at most `seconds` (and
// one evaluation more). The cell was verified; the scenario has a target. Where the cell says that it is there but the
// reference disagrees with its loss, the cell becomes untrusted. Errors: its worker failed.
Result<report::TargetRun> run_to_target(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                        const RunOptions& options, double seconds, report::Cell& cell);

// Shares the time for all such trainings among the cells that are still to come: what one leaves is the others'.
class TargetTime {
 public:
  TargetTime(const Plan& plan, double budget_seconds);
  double next_share() const { return seconds_ / static_cast<double>(cells_ == 0 ? 1 : cells_); }
  // Once for every planned cell of a scenario with a target.
  void spend(double seconds);

 private:
  double seconds_ = 0;
  std::size_t cells_ = 0;
};

}  // namespace gdbench::measure
