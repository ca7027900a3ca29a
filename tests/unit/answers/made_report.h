// Reports of any shape, summarised from samples as real ones are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::tests {

class MadeReport {
 public:
  explicit MadeReport(const std::string& baseline, int launches = 6);

  // With cells that take these times; those that follow are of this one, too.
  MadeReport& scenario(const std::string& label, const std::vector<std::pair<std::string, double>>& cells = {});
  // A cell that takes that time; `spread` moves every other launch up and the rest down by that share. The reference
  // holds until the next call.
  report::Cell& timed(const std::string& implementation, double step_ns, double spread = 0);
  report::Cell& failed(const std::string& implementation, report::CellState state, const std::string& reason);

  report::Report& report() { return report_; }
  // With summaries, ratios and verdicts.
  report::Report summarised() const;

 private:
  report::Cell& add(const std::string& implementation);

  report::Report report_;
  int launches_;
};

// Seven scenarios and four strategies as a default run has them, with policies, and a device that is not there.
report::Report strategies_report();
// Six scenarios and frameworks of many modes.
report::Report frameworks_report();
// One scenario by more implementations than a figure has rows, a tie at the top.
report::Report one_scenario_report();
// More scenarios than a screen has lines, with failures, ties and flips among them.
report::Report many_scenarios_report();

}  // namespace gdbench::tests
