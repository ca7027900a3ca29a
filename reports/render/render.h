// Renderers of a report. They see the report's model and nothing else; each returns the whole text.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace gdbench::render {

struct ConsoleOptions {
  bool colour = false;  // ANSI colours; the caller checks for a terminal and NO_COLOR
  int width = 100;      // columns of the terminal
  std::string file{};   // where the report is, for the commands that show more of it
};

// What was measured, one grid of all scenarios and the sentences that matter: at most 39 lines in any width from 60 on.
std::string first_screen(const report::Report& report, const ConsoleOptions& options);
// Aligned tables, one per scenario, fastest first; rows that have no time come last with their reason.
std::string console(const report::Report& report, const ConsoleOptions& options);
// Correctness only: how close every cell came to the reference, or why it is not right.
std::string verification(const report::Report& report);
// The same in a line per scenario; only what is neither ok nor unsupported is told cell by cell.
std::string brief_verification(const report::Report& report);
std::string markdown(const report::Report& report);
// One line per cell, RFC 4180.
std::string csv(const report::Report& report);
// The JSON that Google Benchmark's own --benchmark_format=json writes: one entry per sample and the aggregates
// mean, median and stddev, so that its compare.py reads it.
std::string google_benchmark(const report::Report& report);

// What columns, marks and sentences mean, in lines of at most that width.
std::string columns_help(int width);

// "18.3 ns", "104 us", "1.25 ms", "2.1 s": three significant digits.
std::string format_duration_ns(double nanoseconds);

}  // namespace gdbench::render
