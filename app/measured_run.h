// What run and claims run share: a plan is measured into a report and its file.
#pragma once

#include <functional>

#include "app/output_file.h"
#include "harness/base/result.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::app {

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

// The cells of a plan, one a line, and their number on stderr.
void print_dry_run(const report::Report& report);

}  // namespace gdbench::app
