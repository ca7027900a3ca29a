#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/console.h"
#include "app/measured_run.h"
#include "app/processors.h"
#include "app/request.h"
#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/launch_group.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::app {

namespace {

// Small problems that between them use every task, loss, activation path, batch mode and bias.
constexpr const char* kCheckedScenarios[] = {"linreg-3x2", "linreg-300x10", "mlp-10-50-1", "mlp-784-128-10",
                                             "mlp-64-64-8-gradients"};
constexpr const char* kCheckedDtypes[] = {"f32", "f64"};

struct PluginOptions {
  std::string file;
  std::vector<std::string> scenarios = {std::begin(kCheckedScenarios), std::end(kCheckedScenarios)};
  Request request;
};

void print_description(const protocol::CatalogueEntry& entry) {
  const protocol::ImplementationDescription& implementation = entry.implementation;
  print_text(cat(implementation.id, "  (", entry.plugin, ")\n"));
  const auto line = [](const char* what, const std::vector<std::string>& values) {
    print_text(formatted("  %-13s %s\n", what, values.empty() ? "none" : joined(values, " ").c_str()));
  };
  line("tasks", implementation.tasks);
  line("dtypes", implementation.dtypes);
  line("losses", implementation.losses);
  line("activations", implementation.activations);
  line("optimizers", implementation.optimizers);
  line("capabilities", implementation.capabilities);
}

// A cell for each implementation, scenario and dtype that is checked.
Result<measure::Plan> plan_check(const PluginOptions& options, std::vector<protocol::CatalogueEntry> catalogue,
                                 report::Report& report) {
  measure::PlanRequest request;
  for (const protocol::CatalogueEntry& entry : catalogue) {
    for (const std::string& name : options.scenarios) {
      const scenario::KnownScenario known = TRY(find_scenario(name));
      for (const char* dtype : kCheckedDtypes) {
        scenario::Point& point = request.points.emplace_back();
        point.scenario_file = known.file;
        point.scenario_settings = {{"dtype", dtype}};
        point.implementation = entry.implementation.id;
      }
    }
  }
  request.arms = {this_build()};
  request.catalogues = {std::move(catalogue)};
  request.processors = measuring_processors();
  request.shares_processors = true;
  return measure::make_plan(std::move(request), report);
}

// Verifies one cell and times some blocks of it, so that all that makes a run distrust a cell is looked for.
Status check_cell(const measure::PlannedScenario& planned, const measure::PlannedCell& planned_cell,
                  const measure::RunOptions& options, report::Report& report) {
  report::Cell& cell = report.cells[planned_cell.index];
  measure::ReferenceTrajectories references(planned, options);
  TRY(references.status());
  TRY(measure::verify_cell(planned, planned_cell, references, options, true, cell));
  std::vector<measure::LiveCell> live = measure::live_cells(planned, report);
  std::erase_if(live, [&](const measure::LiveCell& other) { return other.planned != &planned_cell; });
  report::Journal journal = report::Journal::nowhere();
  return measure::run_launch_group(live, 0, options, report, journal);
}

// What the ABI lets a plugin leave out, asked of a live worker.
void print_missing(const measure::PlannedScenario& planned, const measure::PlannedCell& cell,
                   const protocol::Limits& limits) {
  report::Launch launch;
  Result<measure::CellWorker> worker =
      measure::CellWorker::start(planned, cell, measure::trained_problem(planned, cell), limits, launch);
  if (!worker.ok()) return;
  protocol::Client& client = worker->client();
  if (!client.set_state(measure::kStartImage, 0).ok()) return;
  if (!client.evaluate().ok()) print_text("  missing       evaluate: losses are not checked, train shows none\n");
  if (!client.profile(1).ok()) print_text("  missing       profile: its time cannot be attributed\n");
  static_cast<void>(client.bye());
}

void print_cell(const report::Cell& cell) {
  const bool ok = cell.status.state == report::CellState::ok;
  std::string detail = cell.status.reason;
  if (ok && cell.verification.has_value()) {
    double worst = 0;
    for (const report::TensorCheck& tensor : cell.verification->tensors) worst = std::max(worst, tensor.relative);
    detail = formatted("largest relative error %.1e", worst);
  }
  if (ok && cell.block.has_value()) {
    // The calibration's estimate: block length over steps. `gdbench run` measures properly.
    detail += ", " + std::to_string(cell.block->steps) + " steps in a block of 2 ms";
  }
  print_text(formatted("  %-32s %-11s %s\n", cell.id.substr(0, cell.id.find('/')).c_str(),
                       report::name_of(cell.status.state), detail.c_str()));
}

Result<int> check(const PluginOptions& options) {
  install_signal_handlers();
  measure::RunOptions run = run_options(options.request);
  run.limits.all_requests = 2 * run.limits.request;  // of each of the workers
  run.profiles = false;
  TRY(protocol::check_plugin(this_build(), options.file));
  std::vector<protocol::CatalogueEntry> catalogue = protocol::ask(this_build(), options.file, run.limits);
  for (const protocol::CatalogueEntry& entry : catalogue) {
    if (!entry.problem.has_value()) continue;
    print_error(cat("gdbench: ", options.file, ": ", entry.problem->message));
    const bool of_the_plugin = entry.problem->kind != ErrorKind::usage && entry.problem->kind != ErrorKind::exhausted;
    return of_the_plugin ? kFailedCells : kUsage;
  }
  report::Report report;
  const measure::Plan plan = TRY(plan_check(options, std::move(catalogue), report));
  for (const protocol::CatalogueEntry& entry : plan.catalogues.front()) {
    print_description(entry);
    bool asked = false;
    for (const auto& planned : plan.scenarios) {
      for (const measure::PlannedCell& cell : planned->cells) {
        if (cell.entry != &entry) continue;
        if (!asked) print_missing(*planned, cell, run.limits);
        asked = true;
        TRY(check_cell(*planned, cell, run, report));
      }
    }
    for (const report::Cell& cell : report.cells) {
      if (cell.implementation == entry.implementation.id) print_cell(cell);
    }
  }
  const int status = status_of_cells(report);
  print_text(status == kFine           ? "The plugin keeps the contract.\n"
             : status == kInconclusive ? "Nothing of the plugin could run here.\n"
                                       : "The plugin does not keep the contract.\n");
  return status;
}

}  // namespace

void add_plugin(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<PluginOptions>();
  options->request.no_cache = true;
  CLI::App& command = *app.add_subcommand("plugin", "For authors of plugins");
  command.require_subcommand(1);
  command.footer("Example:\n  gdbench plugin check build/libmine.so");
  CLI::App& check_command =
      *command.add_subcommand("check", "Load a plugin, verify what it offers, time a step, say what is missing");
  add_value(check_command, "file", "FILE", options->file, "A shared object, or FILE.adapter.json")
      ->required()
      ->check(readable_file());
  add_value(check_command, "--scenario", "NAME|FILE", options->scenarios,
            "Scenario by name or file, for a plugin that is of some sizes only")
      ->allow_extra_args(false);
  add_timeout(check_command, options->request, "Seconds that an answer may take, all of a worker twice that");
  check_command.footer("Example:\n  gdbench plugin check build/libmine.so");
  when_chosen(check_command, invocation, [options] { return check(*options); });
}

}  // namespace gdbench::app
