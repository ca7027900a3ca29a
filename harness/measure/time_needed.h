// How long a run needs at the least: to verify its cells and to launch each once. Said before it starts, where the
// budget is shorter.
#pragma once

#include <map>

#include "harness/measure/options.h"
#include "harness/measure/plan.h"

namespace gdbench::measure {

// Estimates, by the size of the work before anything was done and then by how long what is done took beside that.
class TimeNeeded {
 public:
  TimeNeeded(const Plan& plan, const RunOptions& options);

  // The scenario's cells were verified in so many seconds.
  void verified(const PlannedScenario& planned, double seconds);

  // Seconds that are still needed at the least: for the cells that are not verified yet, but for those of `under_way`,
  // and for a launch of each.
  double rest(const PlannedScenario* under_way = nullptr) const;

 private:
  struct Estimate {
    double verification = 0;
    double launch = 0;
  };

  std::map<const PlannedScenario*, Estimate> open_;  // not verified yet
  double launches_ = 0;                              // of all cells
  double done_ = 0;                                  // what verifying was thought to take so far
  double took_ = 0;                                  // and what it took
};

}  // namespace gdbench::measure
