// What compare and run --against share: how a comparison is printed, and the exit status that CI goes by.
#pragma once

#include <string>

#include "app/command_line.h"
#include "harness/base/result.h"
#include "harness/report/comparison.h"

namespace gdbench::app {

struct ComparisonOptions {
  std::string margin;    // a share; empty: the default of what is compared
  std::string markdown;  // where it goes beside the table
  bool json = false;     // instead of the table
  bool quiet = false;    // no table
};

// --margin and --markdown.
void add_comparison_options(CommandLine& command, ComparisonOptions& options);

// Errors: no share.
Result<double> margin_of(const ComparisonOptions& options, double by_default);

// Prints the comparison and writes its Markdown. Errors: that cannot be written.
Status show_comparison(const report::ReportComparison& comparison, const ComparisonOptions& options);

// 1 where a cell regressed; 3 where one fails that did not; 4 where one vanished, is inconclusive, or nothing is
// comparable; 0 otherwise.
int status_of(const report::ReportComparison& comparison);

}  // namespace gdbench::app
