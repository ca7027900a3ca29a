#include "reports/answers/profile.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/cell_planner.h"
#include "app/commands.h"
#include "app/environments.h"
#include "app/interpreter.h"
#include "app/processors.h"
#include "app/selection.h"
#include "harness/measure/profile_cell.h"

namespace gdbench::app {

namespace {

struct ProfileOptions {
  std::string scenario;
  std::string implementation = "hand/naive";
  std::vector<std::string> settings;
  std::vector<std::string> environments;
  std::string trace;
  std::string collapsed;
  std::string dump;
  AnswerOptions answer;
  SelectionOptions selection;  // its memory cap
};

Result<int> profile(const ProfileOptions& options) {
  install_signal_handlers();
  TRY(use_environments(options.environments));
  std::vector<std::string> settings = options.settings;
  if (!options.dump.empty()) settings.push_back("impl.dump=" + options.dump);
  const measure::CellGroup group = TRY(plan_single_cell(options.scenario, options.implementation, settings));
  measure::RunOptions run;
  run.limits = worker_limits(options.selection);
  run.cancelled = &interrupted;
  keep_off_compute_processor();
  report::Cell cell = group.report().cells.front();
  const report::Profile measured =
      TRY(measure::profile_cell(group.scenario(), group.scenario().cells.front(), run, cell));
  if (interrupted()) return report_interrupted();
  TRY(print_answer(options.answer, answers::document_of(measured), report::to_json(measured)));
  if (!options.trace.empty()) {
    TRY(write_text(answers::chrome_trace(measured), options.trace));
  }
  if (!options.collapsed.empty()) {
    TRY(write_text(answers::collapsed_stacks(measured), options.collapsed));
  }
  return kFine;
}

}  // namespace

void add_profile(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App& command = *app.add_subcommand("profile", "Where a step's time goes, op by op and layer by layer");
  command.add_option("scenario", options->scenario, "Scenario by name or file")->required();
  command.add_option("--impl", options->implementation, "Implementation")->capture_default_str()->type_name("ID");
  add_settings(command, options->settings, "Override a key of the scenario, or impl.KEY of the implementation");
  add_environments(command, options->environments);
  add_python(command);
  command.add_option("--trace", options->trace, "Write one mean step as a trace for Perfetto, speedscope or Chrome")
      ->type_name("FILE");
  command.add_option("--collapsed", options->collapsed, "Write collapsed stacks (picoseconds) for flame graphs")
      ->type_name("FILE");
  command
      .add_option("--dump", options->dump,
                  "Folder for what the implementation made of the step, where it compiles one: short for --set "
                  "impl.dump=FOLDER")
      ->type_name("FOLDER");
  add_memory_cap(command, options->selection.memory_cap_gib);
  add_answer_options(command, options->answer, "the profile");
  command.footer(
      "Layers are counted from 0: layer 1 has the weights w1 and the bias b1. An op of several layers names them all.\n"
      "Examples:\n"
      "  gdbench profile mlp-10-50-1 --impl hand/eigen\n"
      "  gdbench profile mlp-784-128-10 --impl hand/eigen --trace step.json --html step.html\n"
      "  gdbench profile mlp-10-50-1 --impl graph/jit --dump compiled");
  when_chosen(command, invocation, [options] { return profile(*options); });
}

}  // namespace gdbench::app
