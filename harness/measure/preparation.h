// What comes before the launches of a session: every cell is verified, calibrated, profiled and trained to its target.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/measure/goals.h"
#include "harness/measure/launch_group.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/measure/target_run.h"
#include "harness/measure/time_needed.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::measure {

class Preparation {
 public:
  // All are pointed to.
  Preparation(const Plan& plan, const RunOptions& options, report::Report& report, report::Journal& journal);

  // Verifies the cells of a batch. Errors: a scenario is unfit, the journal cannot be written.
  Status verify(const std::vector<PlannedScenario*>& scenarios);

  // Profiles every cell again, in turns over all of them, as often as it is launched where that is given and otherwise
  // as long as their part of the budget lasts; so that a slow spell is not that of one cell.
  Status repeat_profiles(const std::vector<PlannedScenario*>& scenarios);

  // The end of the last launch, in seconds of the run.
  double deadline() const { return options_.budget_seconds - options_.reserved_seconds; }

 protected:
  double share_done() const;
  double seconds_left() const;
  Status note_once(const std::string& text) { return measure::note_once(text, report_, journal_); }
  // Whether a cell of the scenario is yet to be verified, and there is time for it.
  bool has_more_to_verify(const PlannedScenario& planned) const;

  const RunOptions& options_;
  report::Report& report_;
  report::Journal& journal_;
  TimeNeeded time_needed_;
  Goals goals_;

 private:
  bool is_to_verify(const PlannedCell& planned_cell) const;
  bool no_time_to_verify(const PlannedScenario& planned) const;
  bool no_time_to_profile(const PlannedScenario* under_way) const;
  void warn_of_short_budget();
  bool repeats_verified_cell(const PlannedScenario& planned, const PlannedCell& planned_cell);
  Status profile(const PlannedScenario& planned, const PlannedCell& planned_cell, report::Cell& cell);
  Status seek_target(const PlannedScenario& planned, const PlannedCell& planned_cell, report::Cell& cell);

  TargetTime target_time_;
  bool warned_ = false;  // of a budget that is too short
  double verifying_seconds_ = 0;
  std::map<std::string, double> verification_seconds_;  // of an implementation's latest cell
  double profiling_seconds_ = 0;                        // of the first profile of every cell
  double repeating_seconds_ = 0;                        // of those after it
};

}  // namespace gdbench::measure
