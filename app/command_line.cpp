#include "app/command_line.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "app/console.h"
#include "harness/base/file.h"
#include "harness/base/key.h"
#include "harness/base/text.h"

namespace gdbench::app {

namespace {

// A positive number with one of the units, each of which is so much.
CLI::Validator as_number(const std::map<std::string, double>& units, const std::string& expected) {
  const auto convert = [units, expected](std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const auto unit = units.find(end);
    if (end == text.c_str() || unit == units.end() || !(value > 0) || !std::isfinite(value)) {
      return cat("found \"", text, "\", expected ", expected);
    }
    // Below one a unit is the inverse of a whole number, by which a division rounds once.
    text = formatted("%.17g", unit->second < 1 ? value / std::round(1 / unit->second) : value * unit->second);
    return "";
  };
  return {convert, ""};
}

template <class Number>
CLI::Validator in_range(const auto& range) {
  const std::string expected = expectation_of(range);
  const auto check = [range, expected](const std::string& text) {
    const std::optional<Number> number = number_of<Number>(text);
    return number && range.contains(*number) ? "" : cat("found ", in_quotes(text), ", expected ", expected);
  };
  return {check, expected.substr(expected.find("from"))};
}

// What is wrong with the values of the command line of `chosen`, where commands and names of options are right.
std::string fault_of_values(const CLI::App& chosen, const CLI::ParseError& error) {
  const std::vector<std::string> words = chosen.remaining();
  if (!words.empty()) return cat("found ", in_quotes(words.front()), ", expected no further argument");
  const std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch")
    return text.substr(0, text.find(':')) + ": found nothing, expected a value";
  if (error.get_name() == "ConversionError") {  // "Could not convert: --quick = maybe"
    const std::size_t begin = text.find(": ") + 2;
    const std::size_t equals = text.find(" = ");
    if (equals != std::string::npos)
      return cat(text.substr(begin, equals - begin), ": found ", in_quotes(text.substr(equals + 3)),
                 ", expected no value");
  }
  if (error.get_name() != "RequiredError") return text;
  for (const CLI::Option* option : chosen.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    std::string expected = option->get_description();
    expected[0] = static_cast<char>(std::tolower(expected[0]));
    return cat("found no ", option->get_name(), ", expected ", expected);
  }
  return text;
}

// What is wrong with the command line of `chosen`, the command that was reached: CLI11 says that a command is missing
// where one was misspelt, and of a misspelt option nothing else.
std::string fault_of(CLI::App& chosen, const CLI::ParseError& error) {
  const std::vector<std::string> words = chosen.remaining();
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-"); });
  std::vector<std::string> commands;
  for (const CLI::App* command : commands_of(chosen)) commands.push_back(command->get_name());
  if (!commands.empty() && words.empty()) return "found no command, expected one of " + joined(commands);
  if (!commands.empty() && option != words.begin()) {
    return cat("found no command ", in_quotes(words.front()), ", expected ", one_of(words.front(), commands));
  }
  if (option == words.end()) return fault_of_values(chosen, error);
  const std::string name = option->substr(0, option->find('='));
  return cat("found no option ", in_quotes(name), ", expected ", one_of(name, option_names(chosen)));
}

}  // namespace

void when_chosen(CLI::App& command, Invocation& invocation, std::function<Result<int>()> run) {
  command.callback([&invocation, run = std::move(run)] {
    const Result<int> status = run();
    invocation.status = status.ok() ? *status : interrupted() ? report_interrupted() : report_error(status.error());
  });
}

void add_document(CLI::App& command, const std::string& name, std::string& path, const std::string& description) {
  command.add_option(name, path, description + " (to stdout without FILE)")
      ->type_name("FILE")
      ->expected(0, 1)
      ->default_str("-");
}

CLI::Validator as_seconds() {
  return as_number({{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}}, "a time like 60s, 2m or 1h");
}

CLI::Validator as_nanoseconds() {
  return as_number({{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}, "a time like 50us or 1.5us");
}

CLI::Validator as_bits_per_second() {
  return as_number({{"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {"Tbit/s", 1e12}, {"MB/s", 8e6}, {"GB/s", 8e9}},
                   "a rate like 10Gbit/s or 12.5GB/s");
}

CLI::Validator as_share() { return as_number({{"", 1}, {"%", 0.01}}, "a share like 1% or 0.01"); }

CLI::Validator integer_from(std::int64_t least, std::int64_t most) {
  return in_range<std::int64_t>(IntegerRange{least, most});
}

CLI::Validator number_from(double least, double most) {
  return in_range<double>(NumberRange{.least = least, .open = false, .most = most});
}

void add_until(CLI::App& command, std::string& until, const std::string& description) {
  add_value(command, "--until", "decided", until,
            description + ", by intervals that hold however often one looks; budget and launches are then the most")
      ->check(name_of_these({"decided"}));
}

CLI::Validator name_of_these(const std::vector<std::string>& names) {
  const auto check = [names](const std::string& text) {
    return std::ranges::count(names, text) > 0 ? ""
                                               : cat("found ", in_quotes(text), ", expected ", one_of(text, names));
  };
  return {check, joined(names)};
}

CLI::Validator readable_file() {
  const auto check = [](const std::string& text) {
    const std::string reason = unreadable_because(text);
    return reason.empty() ? "" : cat("found ", in_quotes(text), " (", reason, "), expected a file that can be read");
  };
  return {check, ""};
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// App::help would tell of the command that was chosen.
std::string help_of(const CLI::App& command, const std::string& usage) {
  return command.get_formatter()->make_help(&command, usage, CLI::AppFormatMode::Normal);
}

void parse(CLI::App& program, const std::vector<std::string>& arguments, int& status) {
  try {
    // CLI11 takes words last one first, and none for the program.
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::ParseError& error) {
    std::string command = program.get_name();
    CLI::App* chosen = &program;
    for (; !chosen->get_subcommands().empty(); command += " " + chosen->get_name()) {
      chosen = chosen->get_subcommands().back();
    }
    const bool misspelt = !commands_of(*chosen).empty() && !chosen->remaining().empty();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success) && !misspelt) {
      program.exit(error);
      return;
    }
    print_error(cat("gdbench: ", fault_of(*chosen, error), " (see ", command, " --help)"));
    status = kUsage;
  }
}

}  // namespace gdbench::app
