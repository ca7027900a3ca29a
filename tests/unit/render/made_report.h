// Reports of any shape, summarised from samples as real ones are.
#pragma once

#include <string>

#include "harness/result/report.h"

namespace gdbench::tests {

class MadeReport {
 public:
  explicit MadeReport(const std::string& baseline, int launches = 6);

  // The cells that follow are of this one.
  MadeReport& scenario(const std::string& label);
  // A cell that takes that time; `spread` moves every other launch up and the rest down by that share. The reference
  // holds until the next call.
  result::Cell& timed(const std::string& implementation, double step_ns, double spread = 0);
  result::Cell& failed(const std::string& implementation, result::CellState state, const std::string& reason);

  result::Report& report() { return report_; }
  // With summaries, ratios and verdicts.
  result::Report summarised() const;

 private:
  result::Cell& add(const std::string& implementation);

  result::Report report_;
  int launches_;
};

// Seven scenarios and four strategies as a default run has them, with policies, and a device that is not there.
result::Report strategies_report();
// Six scenarios and frameworks of many modes.
result::Report frameworks_report();
// One scenario by eighteen implementations, a tie at the top.
result::Report one_scenario_report();
// More scenarios than a screen has lines, with failures, ties and flips among them.
result::Report many_scenarios_report();

}  // namespace gdbench::tests
