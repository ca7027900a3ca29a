// What crossover and ablate share: how much to measure, and the report of the cells that they measured.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/invocation.h"
#include "app/output_file.h"
#include "harness/base/result.h"
#include "harness/measure/options.h"
#include "harness/report/report.h"

namespace gdbench::app {

struct MeasuringOptions {
  std::vector<std::string> settings;
  int threads = 1;
  int launches = 0;    // 0: the command's own number
  std::string budget;  // a time
  std::uint64_t seed = 1;
  bool no_cache = false;  // compute the reference anew
  OutputFile output;
  bool json = false;
};

// --set, --threads, --budget (`budget` is its default), --seed, --no-cache, --out, --json. What --launches means
// differs.
void add_measuring_options(CommandLine& command, MeasuringOptions& options, const std::string& budget);

// Errors: a budget that is no time, an output that cannot be written.
Result<measure::RunOptions> to_run_options(const MeasuringOptions& options);

// A report as it is before measuring; `baseline` is an implementation.
report::Report start_report(const Invocation& invocation, const MeasuringOptions& options, double budget_seconds,
                            const std::string& baseline);

// Writes the report to --out, where that was given.
Status finish_report(const MeasuringOptions& options, report::Report& report);

// Prints why the first cell that is wrong, crashed, timed out or untrusted is so; returns status_of_cells.
int report_failed_cells(const report::Report& report);

}  // namespace gdbench::app
