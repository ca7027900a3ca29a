// Internal to compare: the cells of two sides, judged as one family.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/verdicts.h"
#include "harness/questions/compare/compare.h"
#include "harness/questions/compare/layouts.h"

namespace gdbench::compare {

// Cells of one arm of either report, by their id. In the order of the new side, then what only the base has.
std::vector<Match> matched(const report::Report& base, const std::string& base_arm, const report::Report& next,
                           const std::string& next_arm);

// The rows of a match: what is known before times are compared, and whether they are to be.
struct Row {
  report::ComparedCell cell;
  bool is_judged = false;
};
// The gate that counts for a quantity of a cell; null where there is none.
const report::Gate* gate_of(const std::vector<report::Gate>& gates, report::Quantity quantity, const std::string& id);

// Of its step, and of each gate's quantity where both sides have it and it is to be felt.
std::vector<Row> rows_of(const Match& match, const std::vector<report::Gate>& gates);

// At a confidence of its own; the cell may be given what else is found.
using CompareMatch = std::function<stats::Comparison(const Match&, double confidence, report::ComparedCell&)>;

// Judges the rows of all matches as one family: the chance that any of them is wrongly called regressed or improved is
// at most 1 - result.confidence.
void judge(const std::vector<Match>& matches, const std::function<std::vector<Row>(const Match&)>& rows,
           const CompareMatch& compare, report::ReportComparison& result);

// What is known of a side's noise, of each quantity that is judged. The options must outlive it.
class Noise {
 public:
  Noise(const report::Report& report, const CompareOptions& options);

  // For a quantity of a cell of one of the scenarios, which a gate judges where it is not the step.
  stats::VerdictOptions options_for(report::Quantity quantity, const std::string& id, const std::string& scenario,
                                    double confidence) const;

 private:
  const CompareOptions& options_;
  const stats::Looks looks_;
  const analysis::Comparer steps_;
  std::map<std::pair<report::Quantity, double>, analysis::Comparer> comparers_;  // of gates, by their margin
};

}  // namespace gdbench::compare
