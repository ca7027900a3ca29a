#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "harness/base/text.h"
#include "reports/render/render.h"

namespace gdbench::app {

namespace {

// As --help prints it; App::help would tell of the command that was chosen, which is this one.
void print_help(const CLI::App& app, const std::string& name) {
  std::cout << app.get_formatter()->make_help(&app, name, CLI::AppFormatMode::Normal);
}

int help(const CLI::App& app, const std::string& topic) {
  if (topic.empty()) {
    print_help(app, app.get_name());
    return kFine;
  }
  if (topic == "columns") {
    std::cout << render::columns_help(terminal_width());
    return kFine;
  }
  std::vector<std::string> names = {"columns"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == topic) {
      print_help(*command, app.get_name() + " " + topic);
      return kFine;
    }
    names.push_back(command->get_name());
  }
  return report_error(usage_error("help: found no topic " + in_quotes(topic) + ", expected one of " + joined(names) +
                                  suggestion(topic, names)));
}

}  // namespace

void add_help(CLI::App& app, Invocation& invocation) {
  auto topic = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "What the columns of a report mean, or how a command is used");
  command->add_option("topic", *topic, "columns, or the name of a command");
  command->footer("Examples:\n  gdbench help columns\n  gdbench help run");
  command->callback([&app, topic, &invocation] { invocation.status = help(app, *topic); });
}

}  // namespace gdbench::app
