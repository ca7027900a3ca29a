#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/selection.h"
#include "harness/machine/environment.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/session.h"
#include "reports/render/render.h"

namespace gdbench::app {

namespace {

struct VerifyOptions {
  SelectionOptions selection;
  bool json = false;
  bool brief = false;
};

int verify(const VerifyOptions& options, const Invocation& invocation) {
  report::Report report;
  report.run.command = invocation.command;
  report.run.started_at = measure::utc_now();
  Result<measure::Plan> plan = plan_selection(options.selection, report);
  if (!plan.ok()) return interrupted() ? report_interrupted() : report_error(plan.error());
  report.environment = machine::environment();
  measure::RunOptions run;
  run.seed = options.selection.seed;
  run.limits = worker_limits(options.selection);
  run.cancelled = &interrupted;
  run.progress = &show_progress;
  run.reference_cache = reference_cache(options.selection.no_cache);
  const Status status = measure::verify_all(plan.value(), run, report);
  clear_progress();
  report.run.finished_at = measure::utc_now();
  report.run.status = interrupted() ? "interrupted" : "complete";
  if (options.json) {
    std::cout << report::to_json(report).dump(2) << "\n";
  } else {
    std::cout << (options.brief ? render::brief_verification(report) : render::verification(report));
  }
  if (!status.ok()) return report_error(status.error());
  return interrupted() ? report_interrupted() : status_of_cells(report);
}

}  // namespace

void add_verify(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<VerifyOptions>();
  CommandLine command = app.command("verify", "Compare every cell with the float64 reference; no timing");
  add_selection_options(command, options->selection);
  command.flag("--json", options->json, "Print a report without times as JSON");
  command.flag("--brief", options->brief, "A line per scenario; cell by cell only what is wrong");
  command.footer(
      "Examples:\n"
      "  gdbench verify\n"
      "  gdbench verify --impl 'hand/*' --set dtype=f64\n"
      "  gdbench verify optimizers --brief");
  command.when_chosen([options, &invocation] {
    install_signal_handlers();
    invocation.status = verify(*options, invocation);
  });
}

}  // namespace gdbench::app
