#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/console.h"
#include "app/processors.h"
#include "app/selection.h"
#include "harness/machine/conditions.h"
#include "harness/machine/device_conditions.h"
#include "reports/render/words.h"

namespace gdbench::app {

namespace {

int doctor(bool json) {
  std::vector<report::Condition> conditions = machine::conditions();
  if (const std::vector<int> processors = allowed_processors(); !processors.empty()) {
    const std::vector<report::Condition> measured = machine::measured_conditions(processors.back());
    conditions.insert(conditions.end(), measured.begin(), measured.end());
  }
  const std::vector<report::Condition> of_devices = machine::device_conditions();
  conditions.insert(conditions.end(), of_devices.begin(), of_devices.end());
  print_text(json ? report::to_json(conditions).dump(2) + "\n"
                  : render::conditions_table(conditions, terminal_width()));
  return kFine;
}

}  // namespace

void add_doctor(CommandLine& app, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  CommandLine command = app.command("doctor", "What will spoil measurements on this machine, and what to do");
  command.flag("--json", *json, "Print the findings as JSON");
  command.footer("Takes about a second. Every report holds what could be read when its run began.");
  command.when_chosen(invocation, [json] { return doctor(*json); });
}

}  // namespace gdbench::app
