// What every command and table finds of two cells of a report: their values that belong together, one figure of each
// launch, an estimate with its interval, and a verdict within what the run's A/A controls allow. A control is one cell
// measured twice under two names: what the two differ by is the machine's doing.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/analysis/pairing.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/explanation.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::analysis {

// What is compared of two cells: of cells that were measured side by side pairs, of steps those of a launch and round
// and of all else one of each launch; of others the values of either. What is counted and not timed has one pair, of
// launch 0.
struct Compared {
  std::vector<stats::Pair> pairs;
  std::vector<stats::Observation> base;  // of cells that were measured apart
  std::vector<stats::Observation> candidate;

  // Both sides multiplied by factors of their own.
  void scale(double base_factor, double candidate_factor);
  // Of the candidate to the base, and less it. Of cells that were measured apart one looks once.
  stats::Estimate ratio(double confidence = stats::kConfidence, stats::Looks looks = stats::Looks::one) const;
  stats::Estimate difference(double confidence = stats::kConfidence) const;
  stats::Comparison compare(const stats::VerdictOptions& options) const;
};

// A cell's values of a quantity; `steps` is for time_for_steps. Without what is no positive number, which no ratio can
// be taken of.
ByLaunch by_launch(report::Quantity quantity, std::uint64_t steps, const report::Cell& cell);

// Of cells that have such a quantity.
Compared compared(report::Quantity quantity, std::uint64_t steps, const report::Cell& base,
                  const report::Cell& candidate, bool side_by_side);

// One for each timed cell of the arm kControlArm whose twin was timed.
std::vector<report::Control> controls_of(const report::Report& report,
                                         report::Quantity quantity = report::Quantity::step,
                                         double margin = stats::VerdictOptions{}.margin);

// Compares cells of one report, which is pointed to. Of each base the samples are sorted once.
class Comparer {
 public:
  // `margin`: what the controls of a quantity that is no step may be off by.
  explicit Comparer(const report::Report& report, report::Quantity quantity = report::Quantity::step,
                    double margin = stats::VerdictOptions{}.margin);

  // How often the run looked at its intervals.
  stats::Looks looks() const { return without_control_.looks; }

  // For every verdict about a quantity of cells of a scenario, from the controls: the margin is at least what a control
  // is off by; where a control is confidently another than its twin, by more than the margin, there is no verdict.
  const stats::VerdictOptions& options(const std::string& scenario) const;
  // For cells of two scenarios: the stricter of both.
  stats::VerdictOptions options(const report::Cell& base, const report::Cell& candidate) const;

  // Whether the cells' scenarios were launched together, so that they can be paired as those of one are.
  bool are_side_by_side(const report::Cell& base, const report::Cell& candidate) const;

  // Of their steps.
  Compared steps(const report::Cell& base, const report::Cell& candidate) const;
  // The time of a step of the candidate over that of the base: as its summary has it where the base is its baseline.
  stats::Comparison compare(const report::Cell& base, const report::Cell& candidate) const;
  // The same with the difference in nanoseconds.
  report::CellDifference difference(const report::Cell& base, const report::Cell& candidate) const;

 private:
  const report::Report& report_;
  stats::VerdictOptions without_control_;
  std::unordered_map<std::string, stats::VerdictOptions> by_scenario_;
  mutable std::unordered_map<const report::Cell*, Visits> visits_;
};

}  // namespace gdbench::analysis
