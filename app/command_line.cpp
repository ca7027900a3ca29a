#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "app/console.h"
#include "harness/base/text.h"

namespace gdbench::app {

CommandOption& CommandOption::required() {
  option_->required();
  return *this;
}

CommandOption& CommandOption::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

CommandOption& CommandOption::show_default() {
  option_->capture_default_str();
  return *this;
}

CommandOption& CommandOption::show_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

CommandOption& CommandOption::separated_by_commas() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

CommandOption& CommandOption::once_with_values(int count) {
  option_->type_size(count)->expected(1);
  return *this;
}

CommandOption& CommandOption::one_value_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption& CommandOption::check(const CLI::Validator& validator) {
  option_->check(validator);
  return *this;
}

template <class Number>
CommandOption& CommandOption::between(Number min, Number max) {
  return check(CLI::Range(min, max));
}

template CommandOption& CommandOption::between(int, int);
template CommandOption& CommandOption::between(double, double);

CommandOption& CommandOption::not_negative() { return check(CLI::NonNegativeNumber); }

CommandOption& CommandOption::one_of(const std::vector<std::string>& values) { return check(CLI::IsMember(values)); }

CommandOption& CommandOption::existing_file() { return check(CLI::ExistingFile); }

CommandOption& CommandOption::needs(const CommandOption& other) {
  option_->needs(other.option_);
  return *this;
}

CommandOption& CommandOption::excludes(const CommandOption& other) {
  option_->excludes(other.option_);
  return *this;
}

CommandLine CommandLine::command(const std::string& name, const std::string& description) {
  return CommandLine(app_->add_subcommand(name, description));
}

void CommandLine::needs_command() { app_->require_subcommand(1); }

template <class Value>
CommandOption CommandLine::option(const std::string& name, Value& value, const std::string& description) {
  return CommandOption(app_->add_option(name, value, description));
}

template CommandOption CommandLine::option(const std::string&, std::string&, const std::string&);
template CommandOption CommandLine::option(const std::string&, std::vector<std::string>&, const std::string&);
template CommandOption CommandLine::option(const std::string&, std::vector<int>&, const std::string&);
template CommandOption CommandLine::option(const std::string&, int&, const std::string&);
template CommandOption CommandLine::option(const std::string&, std::int64_t&, const std::string&);
template CommandOption CommandLine::option(const std::string&, std::uint64_t&, const std::string&);
template CommandOption CommandLine::option(const std::string&, double&, const std::string&);

void CommandLine::flag(const std::string& name, bool& value, const std::string& description) {
  app_->add_flag(name, value, description);
}

void CommandLine::document(const std::string& name, std::string& path, const std::string& description) {
  app_->add_option(name, path, description + " (to stdout without FILE)")
      ->type_name("FILE")
      ->expected(0, 1)
      ->default_str("-");
}

void CommandLine::footer(const std::string& text) { app_->footer(text); }

void CommandLine::when_chosen(Invocation& invocation, std::function<Result<int>()> run) {
  app_->callback([&invocation, run = std::move(run)] {
    const Result<int> status = run();
    invocation.status = status.ok() ? *status : interrupted() ? report_interrupted() : report_error(status.error());
  });
}

bool CommandLine::command_was_chosen() const { return !app_->get_subcommands().empty(); }

std::string CommandLine::name() const { return app_->get_name(); }

std::vector<CommandLine> CommandLine::commands() const {
  std::vector<CommandLine> commands;
  for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; })) commands.emplace_back(command);
  return commands;
}

std::vector<std::string> CommandLine::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// App::help would tell of the command that was chosen.
std::string CommandLine::help(const std::string& usage) const {
  return app_->get_formatter()->make_help(app_, usage, CLI::AppFormatMode::Normal);
}

Program::Program(const std::string& description, const std::string& name, const std::string& version)
    : CommandLine(nullptr), owned_(std::make_unique<CLI::App>(description, name)) {
  app_ = owned_.get();
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

namespace {

// What is wrong with the command line of `chosen`, the command that was reached: CLI11 says that a command is missing
// where one was misspelt, and of a misspelt option nothing else.
std::string fault_of(CLI::App* chosen, const CLI::ParseError& error) {
  const CommandLine line(chosen);
  const std::vector<std::string> words = chosen->remaining();
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-"); });
  std::vector<std::string> commands;
  for (const CommandLine& command : line.commands()) commands.push_back(command.name());
  if (!commands.empty() && words.empty()) return "found no command, expected one of " + joined(commands);
  if (!commands.empty() && option != words.begin()) {
    return cat("found no command ", in_quotes(words.front()), ", expected ", one_of(words.front(), commands));
  }
  if (option == words.end()) return error.what();
  const std::string name = option->substr(0, option->find('='));
  return cat("found no option ", in_quotes(name), ", expected ", one_of(name, line.option_names()));
}

}  // namespace

void Program::parse(const std::vector<std::string>& arguments, int& status) {
  try {
    // CLI11 takes words last one first, and none for the program.
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::ParseError& error) {
    std::string command = app_->get_name();
    CLI::App* chosen = app_;
    for (; !chosen->get_subcommands().empty(); command += " " + chosen->get_name()) {
      chosen = chosen->get_subcommands().back();
    }
    const bool misspelt = !CommandLine(chosen).commands().empty() && !chosen->remaining().empty();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success) && !misspelt) {
      app_->exit(error);
      return;
    }
    print_error(cat("gdbench: ", fault_of(chosen, error), " (see ", command, " --help)"));
    status = kUsage;
  }
}

namespace {

struct UnitOfValue {
  const char* name;
  double multiplied = 1;
  double divided = 1;
};

// A positive number with one of the units.
Result<double> parse_value(const std::string& option, const std::string& text, std::initializer_list<UnitOfValue> units,
                           const char* expected) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const auto* unit =
      std::ranges::find_if(units, [end](const UnitOfValue& u) { return u.name == std::string_view(end); });
  if (end == text.c_str() || unit == units.end() || !(value > 0) || !std::isfinite(value)) {
    return usage_error(cat(option, ": found \"", text, "\", expected ", expected));
  }
  return value * unit->multiplied / unit->divided;
}

}  // namespace

Result<double> parse_seconds(const std::string& option, const std::string& text) {
  return parse_value(option, text, {{""}, {"s"}, {"m", 60}, {"h", 3600}}, "a time like 60s, 2m or 1h");
}

Result<double> parse_nanoseconds(const std::string& option, const std::string& text) {
  return parse_value(option, text, {{"ns"}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}, "a time like 50us or 1.5us");
}

Result<double> parse_bits_per_second(const std::string& option, const std::string& text) {
  return parse_value(option, text, {{"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {"Tbit/s", 1e12}, {"MB/s", 8e6}, {"GB/s", 8e9}},
                     "a rate like 10Gbit/s or 12.5GB/s");
}

Result<double> parse_share(const std::string& option, const std::string& text) {
  return parse_value(option, text, {{""}, {"%", 1, 100}}, "a share like 1% or 0.01");
}

}  // namespace gdbench::app
