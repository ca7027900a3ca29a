// Fills every cell's summary from its samples. The only place where figures that are shown are computed.
#pragma once

#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::analysis {

// Cells that are not ok lose their summary. Ratios refer to the cell of the same scenario, threads and arm whose
// implementation is report.run.baseline, paired by launch and round. Linear in the number of samples.
void summarise(report::Report& report);

// Reads a report or a journal and summarises it anew. Errors: the input's.
Result<report::Report> read_summarised(const std::string& path);

// The cell's step time with its interval, as in its summary.
stats::Estimate step_time(const report::Cell& cell, double confidence = stats::kConfidence);

// "used 1.79 processors, has 1 thread": of a cell that used more processors than its compute threads and what helper
// threads cost that only wake and wait; empty for others.
std::string reason_not_ranked(const report::Cell& cell);

// Time of a launch group's pairs, for schedulers that stop by precision: the half-width of the step time's interval
// over its value, infinity below three launches.
double relative_precision(const report::Cell& cell);

}  // namespace gdbench::analysis
