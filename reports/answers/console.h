// A report drawn for a terminal.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::answers {

struct ConsoleOptions {
  bool colour = false;  // ANSI colours; the caller checks for a terminal and NO_COLOR
  int width = 100;      // columns of the terminal
  std::string file{};   // where the report is, for the commands that show more of it
};

// What was measured, one grid of all scenarios and the sentences that matter: at most 39 lines in any width from 60 on.
std::string first_screen(const report::Report& report, const ConsoleOptions& options);

// Times as intervals on axes of characters, far from any browser: per scenario a line for each ranked row, fastest
// first, in 60 to 200 columns: name, time, verdict, and "[--o--]" for the interval and the value on the scenario's
// axis. The axis is logarithmic, or linear where all times lie within a factor of two. What is not drawn is counted
// below it.
std::string plot(const report::Report& report, const ConsoleOptions& options);

}  // namespace gdbench::answers
