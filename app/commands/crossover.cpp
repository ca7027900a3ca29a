#include "harness/questions/crossover/crossover.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/crossover_sides.h"
#include "app/measured_run.h"
#include "app/plan.h"
#include "app/python_environments.h"
#include "harness/base/text.h"
#include "harness/scenario/matrix.h"
#include "harness/scenario/settings.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

constexpr const char* kSteps = "steps";
constexpr const char* kThreads = "threads";
constexpr std::int64_t kMinRows = 3;
constexpr std::int64_t kMaxRows = 100'000;
constexpr std::int64_t kMaxWidth = 1024;

struct CrossoverOptions {
  Request request;
  std::string a;
  std::string b;
  std::string axis;
  std::int64_t from = 0;  // 0: the axis's own
  std::int64_t to = 0;
  double margin = 0.01;
  AnswerOptions answer;
};

struct Axis {
  std::string key;  // as in --set, or kThreads
  std::int64_t from = 1;
  std::int64_t to = 1;
};

// Those at a size: a number of threads for each side that has none of its own, or a value of the setting.
std::vector<CellChoice> choices_at(const Sides& sides, const Axis& axis, std::int64_t size) {
  if (axis.key != kThreads) return choices_of(sides, scenario::Setting{axis.key, std::to_string(size)});
  std::vector<CellChoice> choices = choices_of(sides);
  for (CellChoice& choice : choices) choice.threads = choice.threads.value_or(static_cast<int>(size));
  return choices;
}

// The width of a linear regression is its number of features.
Axis width_axis(const scenario::Scenario& scenario) {
  const bool linear = std::holds_alternative<scenario::LinearRegression>(scenario.model);
  return {linear ? "features" : "width", 1, kMaxWidth};
}

// An implementation against itself begins where it is another cell.
Axis threads_axis(const Sides& sides, const CellPlanner& planner) {
  const bool alone = are_one_but_for_threads(sides);
  return {kThreads, alone ? sides[0].threads.value_or(sides[1].threads.value_or(0)) + 1 : 1, planner.processor_count()};
}

Status check_that_nothing_sets(const std::string& axis, const Sides& sides, const CellPlanner& planner) {
  for (const auto* settings : {&planner.settings(), &sides[0].settings, &sides[1].settings}) {
    const scenario::Setting* found = scenario::find_setting(*settings, axis);
    if (found == nullptr) continue;
    const std::string origin = found->source.empty() ? "--set " + found->key : found->source;
    return usage_error(origin + ": found the axis itself, expected another key");
  }
  return {};
}

// A batch is at most all rows, and has one for each thread; mini-batches need at least their own number of them.
Result<Axis> axis_of(const CrossoverOptions& options, const Sides& sides, const CellPlanner& planner) {
  const scenario::Scenario scenario = TRY(planner.read());
  Axis axis = {options.axis, 1, 1};
  if (options.axis == "width") {
    axis = width_axis(scenario);
  } else if (options.axis == "rows") {
    axis.from = std::max(kMinRows, scenario.batch.rows.value_or(kMinRows));
    axis.to = std::max(kMaxRows, axis.from * 2);
  } else if (options.axis == kThreads) {
    axis = threads_axis(sides, planner);
    if (options.to > axis.to) {
      return usage_error(
          cat("--to ", options.to, ": found more threads than there are processors, expected at most ", axis.to));
    }
  } else {
    for (const Side& side : sides) {
      axis.from = std::max<std::int64_t>(axis.from, side.threads.value_or(planner.threads()));
    }
    const measure::CellGroup group = TRY(planner.plan({choices_of(sides).front()}));
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
  TRY(check_that_nothing_sets(axis.key, sides, planner));
  return axis;
}

// Shows the answer, unless a cell failed, and why then. Returns the exit status: an answer may be that it is undecided.
template <class Crossover>
int finish(const CrossoverOptions& options, Run& running, const Status& measured, const Crossover& crossover,
           bool decided) {
  const int status = running.close(measured, [&](const report::Report& report) -> Status {
    if (!measured.ok() || (report_failed_cells(report) != kFine && !interrupted())) return {};
    return print_answer(options.answer, answers::document_of(crossover), report::to_json(crossover));
  });
  return status == kFine && !decided ? kInconclusive : status;
}

int along_sizes(const CrossoverOptions& options, const Sides& sides, const Axis& axis, const CellPlanner& planner,
                const measure::RunOptions& run, Run& running) {
  crossover::CrossoverRequest request;
  request.search.from = axis.from;
  request.search.to = axis.to;
  if (run.launches > 0) request.search.launches = run.launches;
  request.plan = [&](std::int64_t size) -> Result<measure::CellGroup> {
    Result<measure::CellGroup> group = planner.plan(choices_at(sides, axis, size));
    if (group.ok()) return group;
    return Error{group.error().kind,
                 cat("--axis ", options.axis, ", ", axis.key, "=", size, ": ", group.error().message)};
  };
  report::Crossover crossover;
  crossover.scenario = planner.label();
  crossover.a = sides[0].name();
  crossover.b = sides[1].name();
  crossover.axis = axis.key;
  crossover.margin = options.margin;
  crossover.confidence = stats::kCrossoverConfidence;
  const Status measured = crossover::measure_crossover(request, run, crossover, running.report());
  return finish(options, running, measured, crossover, crossover.answer.outcome != stats::CrossoverOutcome::undecided);
}

int along_steps(const CrossoverOptions& options, const Sides& sides, measure::CellGroup& group,
                const CellPlanner& planner, const measure::RunOptions& run, Run& running) {
  const Result<report::StepsCrossover> measured = crossover::measure_break_even(group, run, options.margin);
  report::StepsCrossover crossover;
  if (measured.ok()) {
    crossover = *measured;
    for (std::size_t i = 0; i < sides.size(); ++i) crossover.sides[i].implementation = sides[i].name();
    if (!sides[0].settings.empty()) crossover.scenario = planner.label();
    running.add(group);
  }
  return finish(options, running, measured.ok() ? Status() : measured.error(), crossover, crossover.is_decided());
}

// With --axis threads sides count through them, unless they have a number of their own.
Status check_threads(const CrossoverOptions& options, const Sides& sides) {
  if (options.axis != kThreads) return {};
  if (!options.request.threads.empty()) {
    return usage_error(cat("--threads ", options.request.threads.front(), ": found the axis itself, expected none"));
  }
  if (sides[0].threads && sides[1].threads) {
    return usage_error(cat("--b: found ", in_quotes(sides[1].name()), " next to ", in_quotes(sides[0].name()),
                           ", expected one of them without @, for --axis threads"));
  }
  return {};
}

// Names what the sides differ in.
Status check(const CrossoverOptions& options, const CellPlanner& planner, Sides& sides) {
  for (const Side& side : sides) TRY(planner.find(side.option, side.implementation));
  TRY(name_differences(planner, sides));
  const auto threads_of = [&](const Side& side) {
    return options.axis == kThreads ? side.threads.value_or(0) : side.threads.value_or(planner.threads());
  };
  if (are_one_but_for_threads(sides) && threads_of(sides[0]) == threads_of(sides[1])) {
    return usage_error("--b: found " + in_quotes(options.b) + ", which is --a as well");
  }
  TRY(check_threads(options, sides));
  if (options.axis == kSteps && (options.from > 0 || options.to > 0)) {
    return usage_error("--axis steps: found --from or --to, expected neither: one measurement answers for every count");
  }
  return {};
}

Result<int> crossover(const CrossoverOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  const Request& asked = options.request;
  TRY(check_output(asked.output));
  const measure::RunOptions run = run_options(asked);
  TRY(use_environments());
  const auto a = TRY(parse_side("--a", options.a));  // apart, or g++ 14 warns of dangling pointers
  const auto b = TRY(parse_side("--b", options.b));
  Sides sides = {a, b};
  const CellPlanner planner = TRY(CellPlanner::make(asked, {sides[0].implementation, sides[1].implementation}));
  TRY(check(options, planner, sides));
  report::Report planned;
  planned.run.baseline = sides[1].implementation;
  const auto open = [&] { return Run::open(invocation, run, asked.output, planned); };
  if (options.axis == kSteps) {
    measure::CellGroup group = TRY(planner.plan(choices_of(sides)));
    Run running = TRY(open());
    return along_steps(options, sides, group, planner, run, running);
  }
  const Axis axis = TRY(axis_of(options, sides, planner));
  Run running = TRY(open());
  return along_sizes(options, sides, axis, planner, run, running);
}

}  // namespace

void add_crossover(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CrossoverOptions>();
  CLI::App& command = *app.add_subcommand("crossover", "At which sizes, or from how many steps on, A is faster than B");
  add_value(command, "--a", "[KEY=VALUE/]ID[@N]", options->a,
            "One implementation, with settings of its own before it and threads of its own behind an @")
      ->required();
  add_value(command, "--b", "[KEY=VALUE/]ID[@N]", options->b, "The other")->required();
  command
      .add_option("--axis", options->axis,
                  "What grows: rows of synthetic data, rows of a batch, width of the hidden layers (features of a "
                  "linear regression), threads of each side without an @, or steps")
      ->required()
      ->check(name_of_these({"batch", "rows", "width", kThreads, kSteps}));
  constexpr int kMaxSize = 1'000'000'000;
  command
      .add_option("--from", options->from,
                  "Smallest size (default: rows 3, batch a row per thread, others 1; threads of the "
                  "same implementation one more than behind its @)")
      ->check(integer_from(1, kMaxSize));
  command
      .add_option("--to", options->to,
                  "Largest size (default: rows 100000, batch all rows, width 1024, threads all processors)")
      ->check(integer_from(1, kMaxSize));
  add_cell_options(command, options->request, 60);
  add_value(command, "--margin", "SHARE", options->margin,
            "What does not matter: a size has a winner where the whole interval is beyond it, and is equal where "
            "all of it is within")
      ->transform(as_share())
      ->default_str("1%");
  add_value(
      command, "--launches", "N", options->request.launches,
      "Fresh processes at each size, fewer where it is decided and more where it is not (default 10); of steps exactly "
      "so many (default 20, and more while it is undecided)")
      ->check(integer_from(1, 100'000));
  add_answer_options(command, options->answer);
  command.footer(
      "Examples:\n"
      "  gdbench crossover linreg-300x10 --a graph/eigen --b hand/naive --axis rows\n"
      "  gdbench crossover mlp-784-128-10 --a graph/onednn --b graph/eigen --axis batch --to 256 --budget 2m\n"
      "  gdbench crossover mlp-10-50-1 --a tape/eigen --b hand/eigen --axis rows --margin 3% --html rows.html\n"
      "  gdbench crossover mlp-10-50-1 --a graph/eigen --b tape/eigen --axis steps --json\n"
      "  gdbench crossover mlp-784-128-10 --a graph/jit@2 --b graph/jit --axis batch    (do two threads pay?)\n"
      "  gdbench crossover linreg-100000x32 --a graph/jit --b graph/jit@1 --axis threads\n"
      "  gdbench crossover mlp-784-128-10 --a graph/jit --b dtype=bf16/graph/jit --axis width    (from where on?)\n"
      "Exit status: 0 a crossing or none; 4 undecided, with what would decide it.");
  when_chosen(command, invocation, [options, &invocation] { return crossover(*options, invocation); });
}

}  // namespace gdbench::app
