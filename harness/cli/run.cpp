#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "harness/cli/arguments.h"
#include "harness/cli/commands.h"
#include "harness/cli/selection.h"
#include "harness/machine/ceilings.h"
#include "harness/machine/environment.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/session.h"
#include "harness/result/journal.h"
#include "harness/result/summarise.h"
#include "reports/render/render.h"

namespace gdbench::cli {

namespace {

namespace fs = std::filesystem;

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

std::string journal_path(const std::string& out) {
  return (out.ends_with(".json") ? out.substr(0, out.size() - 5) : out) + ".journal.jsonl";
}

// A journal that lies there holds what a killed run measured: it is kept under another name.
void keep_old_journal(const std::string& path) {
  if (!fs::exists(path)) return;
  std::string kept;
  for (int number = 1; fs::exists(kept = path + "." + std::to_string(number)); ++number) {
  }
  std::error_code error;
  fs::rename(path, kept, error);
  if (!error) std::fprintf(stderr, "gdbench: kept the journal of an interrupted run as %s\n", kept.c_str());
}

void print_dry_run(const result::Report& report) {
  for (const result::Cell& cell : report.cells) {
    const bool pending = cell.status.state == result::CellState::pending;
    std::printf("%s%s%s\n", cell.id.c_str(), pending ? "" : "  unsupported: ", cell.status.reason.c_str());
  }
  std::fprintf(stderr, "%zu cells in %zu scenarios\n", report.cells.size(), report.scenarios.size());
}

void print_report(const result::Report& report, const Options& options) {
  if (options.json) {
    std::cout << result::to_json(report).dump(2) << "\n";
    return;
  }
  std::cout << render::console(report, {.colour = colour_wanted(), .width = terminal_width()}) << std::flush;
}

// Adds what the compute processor can do at this moment; a failure becomes a note, the run goes on without.
void add_ceilings(const Options& options, int processor, result::Report& report) {
  constexpr double kSeconds = 1.5;
  constexpr double kQuickSeconds = 0.5;
  constexpr std::int64_t kQuickMemoryBytes = std::int64_t{64} << 20;
  machine::CeilingOptions ceilings;
  ceilings.processor = processor;
  ceilings.caches = machine::cache_sizes(report.environment);
  ceilings.seconds = options.quick ? kQuickSeconds : kSeconds;
  if (options.quick) ceilings.memory_bytes = kQuickMemoryBytes;
  ceilings.cancelled = &interrupted;
  const std::string at = measure::utc_now();
  Result<result::CeilingsMeasurement> measured = machine::measure_ceilings(ceilings);
  if (interrupted()) return;
  if (!measured.ok()) {
    report.notes.push_back(measured.error().message);
    return;
  }
  measured.value().at = at;
  if (!report.ceilings) report.ceilings.emplace();
  report.ceilings->processor = processor;
  report.ceilings->measurements.push_back(std::move(measured).value());
}

// Writes the report and drops the journal, whose content it holds.
Status finish_report(result::Report& report, const result::Journal& journal, const std::string& out) {
  result::summarise(report);
  if (Status status = result::write_report(report, out); !status.ok()) {
    return usage_error(status.error().message + "; everything measured is in " + journal.path());
  }
  std::error_code error;
  fs::remove(journal.path(), error);
  return {};
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

  report.run.started_at = measure::utc_now();
  report.run.id = report.run.started_at + "-" + std::to_string(getpid());
  report.environment = machine::environment();
  const std::vector<int> processors = allowed_processors();
  const bool timed = !processors.empty() && std::any_of(report.cells.begin(), report.cells.end(), [](const auto& cell) {
    return cell.status.state == result::CellState::pending;
  });
  if (timed) add_ceilings(options, processors.back(), report);
  const std::string path = journal_path(options.out);
  keep_old_journal(path);
  Result<result::Journal> journal = result::Journal::create(path, report);
  if (!journal.ok()) return report_error(usage_error(journal.error().message));

  keep_off_compute_processor(processors);
  const Status session = measure::run_session(plan.value(), run_options.value(), report, journal.value());
  clear_progress();
  if (timed && session.ok() && !interrupted()) add_ceilings(options, processors.back(), report);
  report.run.finished_at = measure::utc_now();
  report.run.status = !session.ok() ? "failed" : interrupted() ? "interrupted" : "complete";
  static_cast<void>(journal.value().end(report.run));  // a full disk was or will be reported by the report itself
  const Status written = finish_report(report, journal.value(), options.out);
  print_report(report, options);
  if (!session.ok()) return report_error(session.error());
  if (!written.ok()) return report_error(written.error());
  std::fprintf(stderr, "report: %s\n", options.out.c_str());
  return interrupted() ? kInterrupted : status_of_cells(report);
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
