#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/processors.h"
#include "harness/machine/conditions.h"
#include "harness/machine/device_conditions.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

Result<int> doctor(const AnswerOptions& options) {
  std::vector<report::Condition> conditions = machine::conditions();
  if (const std::vector<int> processors = allowed_processors(); !processors.empty()) {
    const std::vector<report::Condition> measured = machine::measured_conditions(processors.back());
    conditions.insert(conditions.end(), measured.begin(), measured.end());
  }
  const std::vector<report::Condition> of_devices = machine::device_conditions();
  conditions.insert(conditions.end(), of_devices.begin(), of_devices.end());
  TRY(print_answer(options, answers::document_of(conditions), report::to_json(conditions)));
  return kFine;
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<AnswerOptions>();
  CLI::App& command = *app.add_subcommand("doctor", "What will spoil measurements on this machine, and what to do");
  add_answer_options(command, *options, "the findings");
  command.footer("Takes about a second. Every report holds what could be read when its run began.");
  when_chosen(command, invocation, [options] { return doctor(*options); });
}

}  // namespace gdbench::app
