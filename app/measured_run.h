// What run and claims run share: a plan is measured into a report and its file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/invocation.h"
#include "app/output_file.h"
#include "app/selection.h"
#include "harness/base/result.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::app {

// What crossover and ablate share: how much to measure, and the report of the cells that they measured.

struct MeasuringOptions {
  std::vector<std::string> settings;
  int threads = 1;
  int launches = 0;  // 0: the command's own number
  double budget_seconds = 60;
  SelectionOptions selection;  // its seed, memory cap and cache
  OutputFile output;
};

// --set, --threads, --budget (with its default), --seed, --memory-cap, --no-cache, --out. What --launches means
// differs.
void add_measuring_options(CLI::App& command, MeasuringOptions& options, double budget_seconds);

// Errors: a budget that is no time, an output that cannot be written.
Result<measure::RunOptions> to_run_options(const MeasuringOptions& options);

// A report as it is before measuring; `baseline` is an implementation.
report::Report start_report(const Invocation& invocation, const MeasuringOptions& options, double budget_seconds,
                            const std::string& baseline);

// Writes the report to --out, where that was given, and returns the exit status: `status_of` the report, unless the
// command was interrupted or the report cannot be written.
int finish_report(const MeasuringOptions& options, report::Report& report,
                  const std::function<int(const report::Report&)>& status_of);

// Prints why the first cell that is wrong, crashed, timed out or untrusted is so; returns status_of_cells.
int report_failed_cells(const report::Report& report);

struct RunFile {
  OutputFile output;
  bool quick = false;    // a short look at the ceilings
  bool ceilings = true;  // false: none, and so no share of them in the report
  // What a look at the measured report calls for before it is finished; empty: nothing.
  std::function<Status(measure::Plan&, report::Report&, report::Journal&)> afterwards{};
};

// What follows a run's last launch: a look at the ceilings, the summary, the report. Of a run with such a budget.
double closing_seconds(double budget_seconds, const RunFile& file);

// Measures with the journal beside the file, summarises, writes the report and has it printed; `report` holds what the
// plan and the command line say. Returns the exit status that its cells call for.
int measure_into_file(measure::Plan& plan, const measure::RunOptions& options, const RunFile& file,
                      report::Report& report, const std::function<Status(const report::Report&)>& print);

// The cells of a plan, one a line, those that cannot be trained with the reason; on stderr their number and how long
// measure_into_file is expected to take. Adapters are asked for reasons of theirs; no framework is loaded.
void print_dry_run(const measure::Plan& plan, const measure::RunOptions& options, const RunFile& file,
                   report::Report& report);

}  // namespace gdbench::app
