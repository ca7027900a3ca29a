#include "reports/render/crossover.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cell_planner.h"
#include "app/commands.h"
#include "app/measured_run.h"
#include "app/selection.h"
#include "harness/base/text.h"
#include "harness/questions/crossover/crossover.h"
#include "harness/scenario/settings.h"

namespace gdbench::app {

namespace {

constexpr const char* kSteps = "steps";
constexpr std::int64_t kMinRows = 3;
constexpr std::int64_t kMaxRows = 100'000;
constexpr std::int64_t kMaxWidth = 1024;

struct CrossoverOptions {
  std::string scenario;
  std::string a;
  std::string b;
  std::string axis;
  std::int64_t from = 0;  // 0: the axis's own
  std::int64_t to = 0;
  std::string margin = "1%";
  MeasuringOptions measuring;
};

struct Axis {
  std::string key;  // as in --set
  std::int64_t from = 1;
  std::int64_t to = 1;
};

// The width of a linear regression is its number of features.
Axis width_axis(const scenario::Scenario& scenario) {
  const bool linear = std::holds_alternative<scenario::LinearRegression>(scenario.model);
  return {linear ? "features" : "width", 1, kMaxWidth};
}

// A batch is at most all rows; mini-batches need at least their own number of them.
Result<Axis> axis_of(const CrossoverOptions& options, const CellPlanner& planner) {
  const scenario::Scenario scenario = TRY(planner.read());
  Axis axis = {options.axis, 1, 1};
  if (options.axis == "width") {
    axis = width_axis(scenario);
  } else if (options.axis == "rows") {
    axis.from = std::max(kMinRows, scenario.batch.rows.value_or(kMinRows));
    axis.to = std::max(kMaxRows, axis.from * 2);
  } else {
    const measure::CellGroup group = TRY(planner.plan({{options.a, {}}}));
    axis.to = group.report().scenarios.front().rows;
    if (options.to > axis.to) {
      return usage_error("--to " + std::to_string(options.to) + ": found a larger batch than the data have rows, " +
                         "expected at most " + std::to_string(axis.to));
    }
  }
  if (options.from > 0) axis.from = options.from;
  if (options.to > 0) axis.to = options.to;
  if (axis.from >= axis.to) {
    return usage_error("--from " + std::to_string(axis.from) + " --to " + std::to_string(axis.to) +
                       ": found no range, expected --from below --to");
  }
  for (const scenario::Setting& setting : planner.settings()) {
    if (scenario::full_key(setting.key) != scenario::full_key(axis.key)) continue;
    return usage_error("--set " + setting.key + ": found the axis itself, expected another key");
  }
  return axis;
}

// Of a cell that failed, or whether there is an answer.
template <class Crossover>
int finish(const CrossoverOptions& options, report::Report& report, const Crossover& crossover, bool decided) {
  if (const int failed = report_failed_cells(report); failed != kFine && !interrupted()) return failed;
  std::cout << (options.measuring.json ? report::to_json(crossover).dump(2) + "\n" : render::crossover_table(crossover))
            << std::flush;
  return finish_report(options.measuring, report,
                       [decided](const report::Report&) { return decided ? kFine : kInconclusive; });
}

Result<int> along_sizes(const CrossoverOptions& options, double margin, const Axis& axis, const CellPlanner& planner,
                        const measure::RunOptions& run, report::Report& report) {
  crossover::CrossoverRequest request;
  request.search.from = axis.from;
  request.search.to = axis.to;
  if (run.launches > 0) request.search.launches = run.launches;
  request.plan = [&](std::int64_t size) -> Result<measure::CellGroup> {
    const scenario::Setting setting{axis.key, std::to_string(size)};
    Result<measure::CellGroup> group = planner.plan({{options.a, {setting}}, {options.b, {setting}}});
    if (group.ok()) return group;
    return Error{group.error().kind,
                 cat("--axis ", options.axis, ", ", setting.key, "=", setting.value, ": ", group.error().message)};
  };
  report::Crossover crossover;
  crossover.scenario = planner.label();
  crossover.a = options.a;
  crossover.b = options.b;
  crossover.axis = axis.key;
  crossover.margin = margin;
  crossover.confidence = stats::kCrossoverConfidence;
  const Status status = crossover::measure_crossover(request, run, crossover, report);
  clear_progress();
  TRY(status);
  return finish(options, report, crossover, crossover.answer.outcome != stats::CrossoverOutcome::undecided);
}

Result<int> along_steps(const CrossoverOptions& options, double margin, const CellPlanner& planner,
                        const measure::RunOptions& run, report::Report& report) {
  measure::CellGroup group = TRY(planner.plan({{options.a, {}}, {options.b, {}}}));
  const Result<report::StepsCrossover> measured = crossover::measure_break_even(group, run, margin);
  clear_progress();
  const report::StepsCrossover crossover = TRY(measured);
  report.scenarios = group.report().scenarios;
  report.cells = group.report().cells;
  return finish(options, report, crossover, crossover.is_decided());
}

Status check(const CrossoverOptions& options, const CellPlanner& planner) {
  for (const auto& [option, id] : {std::pair("--a", &options.a), std::pair("--b", &options.b)}) {
    TRY(planner.find(option, *id));
  }
  if (options.a == options.b) return usage_error("--b: found " + in_quotes(options.b) + ", which is --a as well");
  if (options.axis == kSteps && (options.from > 0 || options.to > 0)) {
    return usage_error("--axis steps: found --from or --to, expected neither: one measurement answers for every count");
  }
  return {};
}

Result<int> crossover(const CrossoverOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  const measure::RunOptions run = TRY(to_run_options(options.measuring));
  const double margin = TRY(parse_share("--margin", options.margin));
  const CellPlanner planner = TRY(CellPlanner::make(options.scenario, options.measuring.settings,
                                                    options.measuring.threads, {options.a, options.b}));
  TRY(check(options, planner));
  report::Report report = start_report(invocation, options.measuring, run.budget_seconds, options.b);
  keep_off_compute_processor(allowed_processors());
  if (options.axis == kSteps) return along_steps(options, margin, planner, run, report);
  return along_sizes(options, margin, TRY(axis_of(options, planner)), planner, run, report);
}

}  // namespace

void add_crossover(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<CrossoverOptions>();
  CommandLine command = app.command("crossover", "At which sizes, or from how many steps on, A is faster than B");
  command.option("scenario", options->scenario, "Scenario by name or file").required();
  command.option("--a", options->a, "One implementation").required().type_name("ID");
  command.option("--b", options->b, "The other").required().type_name("ID");
  command
      .option("--axis", options->axis,
              "What grows: rows of synthetic data, rows of a batch, width of the hidden layers (features of a "
              "linear regression), or steps")
      .required()
      .one_of({"batch", "rows", "width", kSteps});
  constexpr int kMaxSize = 1'000'000'000;
  command.option("--from", options->from, "Smallest size (default: rows 3, others 1)").between(1, kMaxSize);
  command.option("--to", options->to, "Largest size (default: rows 100000, batch all rows, width 1024)")
      .between(1, kMaxSize);
  add_measuring_options(command, options->measuring, "60s");
  command
      .option("--margin", options->margin,
              "What does not matter: a size has a winner where the whole interval is beyond it, and is equal where "
              "all of it is within")
      .type_name("SHARE")
      .show_default();
  command
      .option("--launches", options->measuring.launches,
              "Fresh processes at each size, and more where that leaves it undecided (default 8); of steps exactly "
              "so many (default 20, and more while it is undecided)")
      .type_name("N")
      .between(1, 100'000);
  command.footer(
      "Examples:\n"
      "  gdbench crossover linreg-300x10 --a graph/eigen --b hand/naive --axis rows\n"
      "  gdbench crossover mlp-784-128-10 --a graph/onednn --b graph/eigen --axis batch --to 256 --budget 2m\n"
      "  gdbench crossover mlp-10-50-1 --a tape/eigen --b hand/eigen --axis rows --margin 3%\n"
      "  gdbench crossover mlp-10-50-1 --a graph/eigen --b tape/eigen --axis steps --json\n"
      "Exit status: 0 a crossing or none; 4 undecided, with what would decide it.");
  command.when_chosen(invocation, [options, &invocation] { return crossover(*options, invocation); });
}

}  // namespace gdbench::app
