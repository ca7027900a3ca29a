#include "app/measuring.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/arguments.h"
#include "app/selection.h"
#include "harness/analysis/summarise.h"
#include "harness/machine/environment.h"
#include "harness/measure/cell_worker.h"

namespace gdbench::app {

void add_measuring_options(CommandLine& command, MeasuringOptions& options, const std::string& budget) {
  options.budget = budget;
  command
      .option("--set", options.settings,
              "Override a key of the scenario, or impl.KEY of every implementation that has it")
      .type_name("KEY=VALUE")
      .one_value_at_a_time();
  command.option("--threads", options.threads, "Compute threads").type_name("N").between(1, 4096).show_default();
  command.option("--budget", options.budget, "Time for everything").type_name("TIME").show_default();
  command.option("--seed", options.seed, "Seed of order, checks and resampling").not_negative().show_default();
  add_no_cache(command, options.no_cache);
  add_output(command, options.output, "Write a report with every sample, as run does");
  command.flag("--json", options.json, "For programs");
}

Result<measure::RunOptions> to_run_options(const MeasuringOptions& options) {
  const double budget = TRY(parse_seconds("--budget", options.budget));
  if (!options.output.path.empty()) {
    TRY(check_output(options.output));
  }
  measure::RunOptions run;
  run.budget_seconds = budget;
  run.launches = options.launches;
  run.seed = options.seed;
  run.limits = worker_limits({});
  run.cancelled = &interrupted;
  run.progress = &show_progress;
  run.reference_cache = reference_cache(options.no_cache);
  return run;
}

report::Report start_report(const Invocation& invocation, const MeasuringOptions& options, double budget_seconds,
                            const std::string& baseline) {
  report::Report report;
  report.run.command = invocation.command;
  report.run.started_at = measure::utc_now();
  report.run.id = report.run.started_at + "-" + std::to_string(getpid());
  report.run.baseline = baseline;
  report.run.seed = options.seed;
  report.run.budget_seconds = budget_seconds;
  if (!options.output.path.empty()) report.environment = machine::environment();
  return report;
}

Status finish_report(const MeasuringOptions& options, report::Report& report) {
  if (options.output.path.empty()) return {};
  report.run.finished_at = measure::utc_now();
  report.run.status = interrupted() ? "interrupted" : "complete";
  analysis::summarise(report);
  const Status written = report::write_report(report, options.output.path);
  if (written.ok()) std::fprintf(stderr, "report: %s\n", options.output.path.c_str());
  return written;
}

int report_failed_cells(const report::Report& report) {
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state == report::CellState::ok || cell.status.state == report::CellState::pending) continue;
    std::fprintf(stderr, "gdbench: %s is %s: %s\n", cell.id.c_str(), report::name_of(cell.status.state),
                 cell.status.reason.c_str());
    break;
  }
  return status_of_cells(report);
}

}  // namespace gdbench::app
