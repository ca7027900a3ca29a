#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "harness/cli/arguments.h"
#include "harness/cli/commands.h"
#include "harness/cli/measured_run.h"
#include "harness/cli/selection.h"
#include "reports/render/render.h"

namespace gdbench::cli {

namespace {

constexpr double kDefaultBudgetSeconds = 60;
constexpr double kQuickBudgetSeconds = 12;

struct Options {
  SelectionOptions selection;
  std::string out = "report.json";
  std::string budget;
  std::string precision;
  int launches = 0;
  bool quick = false;
  bool dry_run = false;
  bool json = false;
};

Result<measure::RunOptions> to_run_options(const Options& options) {
  measure::RunOptions run;
  run.budget_seconds = options.quick ? kQuickBudgetSeconds : kDefaultBudgetSeconds;
  if (!options.budget.empty()) {
    const Result<double> budget = parse_seconds("--budget", options.budget);
    if (!budget.ok()) return budget.error();
    run.budget_seconds = budget.value();
  }
  if (!options.precision.empty()) {
    const Result<double> precision = parse_share("--precision", options.precision);
    if (!precision.ok()) return precision.error();
    run.precision = precision.value();
  }
  run.launches = options.launches > 0 ? options.launches : options.quick ? 1 : 0;
  run.seed = options.selection.seed;
  run.limits = worker_limits(options.selection);
  run.cancelled = &interrupted;
  run.progress = &show_progress;
  return run;
}

void print_report(const result::Report& report, const Options& options) {
  if (options.json) {
    std::cout << result::to_json(report).dump(2) << "\n";
    return;
  }
  std::cout << render::console(report, {.colour = colour_wanted(), .width = terminal_width()}) << std::flush;
}

int run(const Options& options, const Invocation& invocation) {
  Result<measure::RunOptions> run_options = to_run_options(options);
  if (!run_options.ok()) return report_error(run_options.error());
  result::Report report;
  report.run.command = invocation.command;
  report.run.quick = options.quick;
  report.run.budget_seconds = run_options.value().budget_seconds;
  report.run.precision = run_options.value().precision;
  Result<measure::Plan> plan = plan_selection(options.selection, report);
  if (!plan.ok()) return interrupted() ? kInterrupted : report_error(plan.error());
  if (options.dry_run) {
    print_dry_run(report);
    return kFine;
  }
  if (Status status = check_output(options.out); !status.ok()) return report_error(status.error());

  return measure_into_file(plan.value(), run_options.value(), {options.out, options.quick}, report,
                           [&options](const result::Report& measured) -> Status {
                             print_report(measured, options);
                             return {};
                           });
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Verify and time a matrix of scenarios and implementations");
  add_selection_options(*command, options->selection);
  command->add_option("--out", options->out, "Where the report goes")->capture_default_str();
  command->add_option("--budget", options->budget, "Time for the whole run (default 60s, 12s with --quick)")
      ->type_name("TIME");
  command
      ->add_option("--precision", options->precision,
                   "Stop a scenario once every interval is within this share of its value")
      ->type_name("SHARE");
  command->add_option("--launches", options->launches, "Exactly so many fresh processes per cell")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--quick", options->quick, "One launch per cell: a glance, no intervals between processes");
  command->add_flag("--dry-run", options->dry_run, "List the cells, measure nothing");
  command->add_flag("--json", options->json, "Print the report as JSON instead of the table");
  command->footer(
      "Examples:\n"
      "  gdbench run\n"
      "  gdbench run --scenario 'mlp-*' --impl 'hand/*' --budget 30s --out mlp.json\n"
      "  gdbench run --scenario mlp-784-128-10 --set batch=256 --set dtype=f64\n"
      "  gdbench run --scenario ./my-table.json --launches 20");
  command->callback([options, &invocation] {
    install_signal_handlers();
    invocation.status = run(*options, invocation);
  });
}

}  // namespace gdbench::cli
