// Is the new build slower than the base? Of two arms that were measured side by side in one run, or of two runs.
#pragma once

#include <string>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::compare {

// Arms are neighbours in time; two runs are not, and how much a machine drifts between them nobody measured.
constexpr double kMarginOfArms = 0.01;
constexpr double kMarginOfReports = 0.03;

struct CompareOptions {
  double margin = kMarginOfReports;
  double confidence = 0.99;  // that no cell is called regressed or improved that is not, over all of them
  bool force = false;        // compare reports of different machines
};

// Cells of the arm new beside those of the arm base in one report, paired by launch and round. Where a cell was
// confirmed by launches of its own (report::Cell::confirmed_from), both parts must agree; where a build has a padded
// one beside it (result/arm.h), all of them must, and the interval spans all of theirs.
report::ReportComparison compare_arms(const report::Report& report, const CompareOptions& options);

// Cells of two reports, each in its arm "new"; paired where both are of one run. The margin is at least what either run
// was off by: its controls, and how far the later half of its launches is from the earlier.
report::ReportComparison compare_reports(const report::Report& base, const report::Report& next,
                                         const CompareOptions& options);

}  // namespace gdbench::compare
