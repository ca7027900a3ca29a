// What compare and run --against share: how a comparison is printed, and the exit status that CI goes by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/answer.h"
#include "harness/base/result.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/questions/compare/compare.h"
#include "harness/report/comparison.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::app {

struct ComparisonOptions {
  std::optional<double> margin;    // of steps; nothing: the default of what is compared
  std::vector<std::string> gates;  // what else is judged: QUANTITY[=SHARE][@CELLS]
  std::string gates_from = "--gate";
  AnswerOptions answer;
  std::string junit;  // a file of JUnit XML
};

// --margin, --gate, --junit and the forms of an answer.
void add_comparison_options(CLI::App& command, ComparisonOptions& options);

bool judges_single_steps(const ComparisonOptions& options);

// Errors: a quantity that cannot be judged, or is there twice; no share.
Result<compare::CompareOptions> compare_options(const ComparisonOptions& options, double default_margin);

// Prints the comparison and writes its forms and JUnit XML. Errors: they cannot be written.
Status show_comparison(const report::ReportComparison& comparison, const ComparisonOptions& options);

// 1 where a cell regressed; 3 where one fails that did not; 4 where one vanished, is inconclusive, or nothing is
// comparable; 0 otherwise.
int status_of(const report::ReportComparison& comparison);

// What `gdbench run --against` measures against: another build, side by side, or an older report.

class ComparisonBase {
 public:
  // `against` is a folder, a report's file, or empty: there is none. A report is read at once, so that a wrong
  // one is said before anything is measured.
  static Result<ComparisonBase> make(const std::string& against, const ComparisonOptions& options);

  bool exists() const { return !against_.empty(); }
  // The folder of the build to measure beside this one; empty where it is none.
  std::string build() const { return exists() && !report_ ? against_ : ""; }

  // `report` is summarised.
  report::ReportComparison compare(const report::Report& report) const;

  // Those of the cells that are inconclusive by what `report` has so far. Summarises it.
  std::vector<std::size_t> open_cells(report::Report& report, const std::vector<std::size_t>& cells) const;

  // What seems to be slower than the other build gets as many launches again, before it is called so. Summarises
  // `report`. Errors: the journal cannot be written.
  Status confirm(measure::Plan& plan, const measure::RunOptions& options, report::Report& report,
                 report::Journal& journal) const;

 private:
  std::string against_;
  compare::CompareOptions options_;
  std::optional<report::Report> report_;
};

// What `git bisect run` makes of it.

constexpr int kBisectSkip = 125;  // "cannot be tested"

// 0 where nothing is slower, 1 where something is, kBisectSkip where that is not decided: by the comparison or, without
// one, by the implementations that the report has in several environments. Prints which of them and why, on stderr.
int bisect(const report::Report& report, const std::optional<report::ReportComparison>& comparison);

}  // namespace gdbench::app
