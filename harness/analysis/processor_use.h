// How many processors a row used, and whether it is ranked for it.
#pragma once

#include <optional>
#include <string>

#include "harness/report/report.h"

namespace gdbench::analysis {

// CPU time of all threads of the process over wall time in timed blocks, median over warm samples; nothing without one.
std::optional<double> processors_used(const report::Cell& cell);

// "used 1.79 processors, has 1 thread": of a cell that used more processors than its compute threads and what helper
// threads cost that only wake and wait; empty for others.
std::string reason_not_ranked(const report::Cell& cell);

}  // namespace gdbench::analysis
