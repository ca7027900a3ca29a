// Verdicts about a report's cells, and the A/A control that bounds what they are worth: one cell measured twice under
// two names. What the two differ by is the machine's doing.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::analysis {

// One for each timed cell of the arm kControlArm whose twin was timed.
std::vector<report::Control> controls_of(const report::Report& report);

// For every verdict about cells of a scenario, from report.controls: the margin is at least what a control is off by;
// where a control is confidently another than its twin, by more than the margin, there is no verdict.
stats::VerdictOptions verdict_options(const report::Report& report, const std::string& scenario);

// verdict_options of every scenario, for whoever asks for many.
class VerdictRules {
 public:
  explicit VerdictRules(const report::Report& report);
  const stats::VerdictOptions& of(const std::string& scenario) const;
  // For cells of two scenarios: the stricter of both.
  stats::VerdictOptions of(const std::string& scenario, const std::string& other) const;

 private:
  stats::VerdictOptions without_control_;
  std::unordered_map<std::string, stats::VerdictOptions> by_scenario_;
};

}  // namespace gdbench::analysis
