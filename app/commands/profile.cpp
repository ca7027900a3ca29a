#include "reports/render/profile.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cell_planner.h"
#include "app/commands.h"
#include "app/selection.h"
#include "harness/measure/profile_cell.h"

namespace gdbench::app {

namespace {

struct ProfileOptions {
  std::string scenario;
  std::string implementation = "hand/naive";
  std::vector<std::string> settings;
  std::string trace;
  std::string collapsed;
  std::string dump;
  bool json = false;
};

int profile(const ProfileOptions& options) {
  std::vector<std::string> settings = options.settings;
  if (!options.dump.empty()) settings.push_back("impl.dump=" + options.dump);
  const Result<std::unique_ptr<SingleCell>> planned =
      plan_single_cell(options.scenario, options.implementation, settings);
  if (!planned.ok()) return report_error(planned.error());
  SingleCell& single = *planned.value();
  measure::RunOptions run;
  run.limits = worker_limits({});
  run.cancelled = &interrupted;
  keep_off_compute_processor(allowed_processors());
  const Result<report::Profile> measured =
      measure::profile_cell(single.scenario(), single.cell(), run, single.record());
  if (interrupted()) return report_interrupted();
  if (!measured.ok()) return report_error(measured.error());
  if (options.json) {
    std::cout << report::to_json(measured.value()).dump(2) << "\n";
  } else {
    std::cout << render::profile_table(measured.value());
  }
  Status status;
  if (!options.trace.empty()) status = write_text(render::chrome_trace(measured.value()), options.trace);
  if (status.ok() && !options.collapsed.empty()) {
    status = write_text(render::collapsed_stacks(measured.value()), options.collapsed);
  }
  return status.ok() ? kFine : report_error(status.error());
}

}  // namespace

void add_profile(CommandLine& app, Invocation& invocation) {
  auto options = std::make_shared<ProfileOptions>();
  CommandLine command = app.command("profile", "Where a step's time goes, op by op and layer by layer");
  command.option("scenario", options->scenario, "Scenario by name or file").required();
  command.option("--impl", options->implementation, "Implementation").show_default().type_name("ID");
  command.option("--set", options->settings, "Override a key of the scenario, or impl.KEY of the implementation")
      .type_name("KEY=VALUE")
      .one_value_at_a_time();
  command.option("--trace", options->trace, "Write one mean step as a trace for Perfetto, speedscope or Chrome")
      .type_name("FILE");
  command.option("--collapsed", options->collapsed, "Write collapsed stacks (picoseconds) for flame graphs")
      .type_name("FILE");
  command
      .option("--dump", options->dump,
              "Folder for what the implementation made of the step, where it compiles one: short for --set "
              "impl.dump=FOLDER")
      .type_name("FOLDER");
  command.flag("--json", options->json, "For programs");
  command.footer(
      "Layers are counted from 0: layer 1 has the weights w1 and the bias b1. An op of several layers names them all.\n"
      "Examples:\n"
      "  gdbench profile mlp-10-50-1 --impl hand/eigen\n"
      "  gdbench profile mlp-784-128-10 --impl hand/eigen --trace step.json\n"
      "  gdbench profile mlp-10-50-1 --impl graph/jit --dump compiled");
  command.when_chosen([options, &invocation] {
    install_signal_handlers();
    invocation.status = profile(*options);
  });
}

}  // namespace gdbench::app
