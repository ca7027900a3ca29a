// Did a cell become slower, and when? Over the reports of many revisions on one machine.
#pragma once

#include <vector>

#include "harness/questions/compare/compare.h"
#include "harness/questions/history/reports.h"
#include "harness/report/history.h"

namespace gdbench::history {

struct HistoryOptions {
  double margin = compare::kMarginOfReports;
  double significance = 0.01;
  double confidence = 0.99;  // that no cell of the newest revision is called slower or faster that is not
};

// The history of the machine that has most reports, of two with equally many the one with the newest; reports of others
// (compare::kMachine) are named. There must be a report.
//
// Revisions are in the order of their commits, where the build does not know when that was of their first run; reports
// of one revision are points of their own, by the start of their run.
//
// The unit is the report: its launches share the machine's mood of that day, so a time is the median over a report's
// launches, and what is uncertain about it is how far reports of one level scatter. Everything is computed on
// logarithms of times.
//
// Change points: stats::change_points over the reports before the newest revision, at `significance` for each cell. A
// border may lie between two reports of one revision; then it was the machine that changed. Levels are medians over
// reports; the ratio of two has an interval that holds wherever both of theirs do (stats::unpaired_ratio), which knows
// nothing of that the border was chosen. Its verdict ignores what is within the margin.
//
// The newest revision: each of its reports has a prediction interval of Student's t, mean of the level +- t s
// sqrt(1/n + w), of the n reports of the level before it, with s pooled over all levels of the cell, which are taken to
// scatter alike (G. J. Hahn, W. Q. Meeker, Statistical Intervals (1991), 4.7). w is 1, or how many times more launches
// the level's reports have in the middle. All of these intervals must lie beyond the margin, or what the reports'
// controls are off by, for it to be slower or faster, at a confidence of all cells together (stats::compare_family).
report::History history_of(ReadReports read, const HistoryOptions& options);

}  // namespace gdbench::history
