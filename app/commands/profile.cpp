#include "reports/answers/profile.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/plan.h"
#include "app/processors.h"
#include "harness/measure/profile_cell.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

struct ProfileOptions {
  Request request;
  std::string implementation = "hand/naive";
  std::string trace;
  std::string collapsed;
  std::string dump;
  AnswerOptions answer;
};

Result<int> profile(const ProfileOptions& options) {
  install_signal_handlers();
  Request request = options.request;
  if (!options.dump.empty()) request.settings.push_back("impl.dump=" + options.dump);
  const measure::CellGroup group = TRY(plan_cell(request, options.implementation));
  const measure::RunOptions run = run_options(request);
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
  add_scenario(command, options->request);
  add_value(command, "--impl", "ID", options->implementation, "Implementation")->capture_default_str();
  add_value(command, "--trace", "FILE", options->trace,
            "Write one mean step as a trace for Perfetto, speedscope or Chrome");
  add_value(command, "--collapsed", "FILE", options->collapsed,
            "Write collapsed stacks (picoseconds) for flame graphs");
  add_value(command, "--dump", "FOLDER", options->dump,
            "Folder for what the implementation made of the step, where it compiles one: short for --set "
            "impl.dump=FOLDER");
  add_measuring_options(command, options->request);
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
