#include <memory>

#include "app/commands.h"
#include "app/console.h"
#include "harness/base/text.h"
#include "harness/report/crossover.h"
#include "harness/report/history.h"
#include "harness/report/report_file.h"
#include "reports/answers/words.h"

namespace gdbench::app {

namespace {

constexpr std::pair<const char*, OrderedJson (*)()> kSchemas[] = {{"report.schema.json", report::report_schema},
                                                                  {"crossover.schema.json", report::crossover_schema},
                                                                  {"history.schema.json", report::history_schema}};

Result<int> help(CLI::App& app, const std::string& topic) {
  if (topic.empty()) {
    print_text(help_of(app, app.get_name()));
    return kFine;
  }
  if (topic == "columns") {
    print_text(answers::columns_help(terminal_width()));
    return kFine;
  }
  std::vector<std::string> names = {"columns"};
  for (const auto& [name, schema_of] : kSchemas) {
    if (topic == name) {
      print_text(report::to_text(schema_of()));
      return kFine;
    }
    names.emplace_back(name);
  }
  for (CLI::App* command : commands_of(app)) {
    if (command->get_name() == topic) {
      print_text(help_of(*command, app.get_name() + " " + topic));
      return kFine;
    }
    names.push_back(command->get_name());
  }
  return usage_error(cat("help: found no topic ", in_quotes(topic), ", expected ", one_of(topic, names)));
}

}  // namespace

void add_help(CLI::App& app, Invocation& invocation) {
  auto topic = std::make_shared<std::string>();
  CLI::App& command =
      *app.add_subcommand("help", "What the columns and keys of a report mean, or how a command is used");
  command.add_option("topic", *topic, "columns, report.schema.json, or the name of a command");
  command.footer("Examples:\n  gdbench help columns\n  gdbench help report.schema.json\n  gdbench help run");
  when_chosen(command, invocation, [&app, topic] { return help(app, *topic); });
}

}  // namespace gdbench::app
