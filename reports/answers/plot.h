// A report's times as intervals on axes of characters, for terminals far from any browser.
#pragma once

#include <string>

#include "harness/report/report.h"
#include "reports/answers/console.h"

namespace gdbench::answers {

// Per scenario a line for each ranked row, fastest first, in 60 to 200 columns: name, time, verdict, and "[--o--]" for
// the interval and the value on the scenario's axis. The axis is logarithmic, or linear where all times lie within a
// factor of two. What is not drawn is counted below it.
std::string plot(const report::Report& report, const ConsoleOptions& options);

}  // namespace gdbench::answers
