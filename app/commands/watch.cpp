#include "harness/questions/watch/watch.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/plan.h"
#include "app/processors.h"
#include "harness/measure/watch_training.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

constexpr const char* kNoControl = "none";

struct WatchCommand {
  Request request;
  std::string implementation = "hand/eigen";
  std::string control = "hand/naive";
  measure::WatchOptions watch;
  double margin = 0.1;
  AnswerOptions answer;
};

// The control is left out where it is what is watched, or cannot train this, which is said.
Result<measure::CellGroup> plan_watched(const WatchCommand& options) {
  const bool wants_control = options.control != kNoControl && options.control != options.implementation;
  std::vector<std::string> asked = {options.implementation};
  if (wants_control) asked.push_back(options.control);
  const CellPlanner planner = TRY(CellPlanner::make(options.request, asked));
  TRY(planner.find("--impl", options.implementation));
  if (wants_control) TRY(planner.find("--control", options.control));
  const CellChoice watched{options.implementation, {}};
  if (!wants_control) return planner.plan({watched});
  measure::CellGroup group = TRY(planner.plan({watched, {options.control, {}}}));
  const report::CellStatus& control = group.report().cells.back().status;
  if (control.state == report::CellState::pending) return group;
  print_error(cat("gdbench: no control: ", options.control, " is ", name_of(control.state), ": ", control.reason));
  return planner.plan({watched});
}

int exit_status_of(const report::Watched& watched) {
  if (!watched.ended.empty()) return interrupted() ? kInterrupted : kFailedCells;
  if (watched.change == stats::Verdict::slower || watched.keeps_growing() || watched.first_not_finite) {
    return kRegressed;
  }
  return watched.change == stats::Verdict::inconclusive ? kInconclusive : kFine;
}

Result<int> watch(const WatchCommand& options) {
  install_signal_handlers();
  measure::CellGroup group = TRY(plan_watched(options));
  measure::RunOptions run = run_options(options.request);
  keep_off_compute_processor();
  TRY(group.verify(run));
  if (interrupted()) return report_interrupted();
  if (const report::Cell* failed = group.failed_cell()) {
    return usage_error(
        cat(failed->id, " is not watched, it is ", name_of(failed->status.state), ": ", failed->status.reason));
  }
  run.started = std::chrono::steady_clock::now();
  report::Watched watched = TRY(measure::watch_training(group, options.watch, run));
  clear_progress();
  if (watched.blocks.empty()) return report_interrupted();
  watched.margin = options.margin;
  watch::judge(watched);
  TRY(print_answer(options.answer, answers::document_of(watched), report::to_json(watched)));
  return exit_status_of(watched);
}

}  // namespace

void add_watch(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<WatchCommand>();
  CLI::App& command =
      *app.add_subcommand("watch", "Does a step stay as fast while a model trains, and memory as small?");
  add_scenario(command, options->request);
  add_value(command, "--impl", "ID", options->implementation, "Implementation")->capture_default_str();
  CLI::Option* steps =
      command.add_option("--steps", options->watch.steps, "Steps")->check(integer_from(1, 1'000'000'000'000));
  add_value(command, "--for", "TIME", options->watch.seconds, "As long as that, in place of a number of steps")
      ->transform(as_seconds())
      ->default_str("30s")
      ->excludes(steps);
  add_value(command, "--control", "ID", options->control,
            "Takes the same steps from the start all the while, so that the machine's own changes divide out; none: "
            "nothing does")
      ->capture_default_str();
  add_value(command, "--margin", "SHARE", options->margin, "What a step may become slower by")
      ->transform(as_share())
      ->default_str("10%");
  add_measuring_options(command, options->request);
  add_answer_options(command, options->answer, "the course");
  command.footer(
      "Exit status: 1 where steps become slower, memory grows or the loss is no number; 3 where the training ended by "
      "itself;\n4 where it is undecided whether steps become slower.\n"
      "Examples:\n"
      "  gdbench watch mlp-10-50-1 --impl graph/jit --for 5m --html course.html\n"
      "  gdbench watch ./mine.json --impl pytorch/eager --steps 50000");
  when_chosen(command, invocation, [options] { return watch(*options); });
}

}  // namespace gdbench::app
