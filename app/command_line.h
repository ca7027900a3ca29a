// The command line as commands declare it. It is parsed by CLI11, of which command_line.cpp alone includes anything:
// its headers take seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "harness/base/result.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace gdbench::app {

// An option, or an operand, of a command.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption& required();
  CommandOption& type_name(const std::string& name);
  // In the help: the value that the variable has now, or a text that stands for it.
  CommandOption& show_default();
  CommandOption& show_default(const std::string& text);
  // A list takes one value, or so many, each time that it is named, instead of all words up to the next option.
  CommandOption& one_value_at_a_time();
  CommandOption& once_with_values(int count);
  // A list is one word: "4,8".
  CommandOption& separated_by_commas();
  // What is refused with a line that names the option.
  template <class Number>  // int or double
  CommandOption& between(Number min, Number max);
  CommandOption& not_negative();
  CommandOption& one_of(const std::vector<std::string>& values);
  CommandOption& existing_file();
  CommandOption& needs(const CommandOption& other);
  CommandOption& excludes(const CommandOption& other);

 private:
  CommandOption& check(const CLI::Validator& validator);

  CLI::Option* option_;
};

// A command, or the program with its commands. Variables and callbacks must live until the command line was parsed.
class CommandLine {
 public:
  explicit CommandLine(CLI::App* app) : app_(app) {}

  CommandLine command(const std::string& name, const std::string& description);
  // One of its commands must follow.
  void needs_command();

  // `name` is "--name", or "name" for an operand. A value is a text, a number, or a vector of these; command_line.cpp
  // lists them.
  template <class Value>
  CommandOption option(const std::string& name, Value& value, const std::string& description);
  void flag(const std::string& name, bool& value, const std::string& description);
  // A file to be written; the option without a value stands for stdout, as "-" does.
  void document(const std::string& name, std::string& path, const std::string& description);

  void footer(const std::string& text);
  // `run` returns the exit status, or an error that is printed; what it was interrupted in is no error.
  void when_chosen(Invocation& invocation, std::function<Result<int>()> run);

  // Whether one of its commands was chosen, too.
  bool command_was_chosen() const;

  std::string name() const;
  std::vector<CommandLine> commands() const;
  std::vector<std::string> option_names() const;  // "--out"
  // As --help prints it; `usage` is what its usage line begins with.
  std::string help(const std::string& usage) const;

 protected:
  CLI::App* app_;
};

class Program : public CommandLine {
 public:
  Program(const std::string& description, const std::string& name, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Parses argv and calls what was chosen. --help and the like print to stdout; a usage error prints one line to stderr
  // and sets `status`.
  void parse(const std::vector<std::string>& arguments, int& status);

 private:
  std::unique_ptr<CLI::App> owned_;
};

// Values that several commands take. Errors are one line that names the option.

// "90", "90s", "2m", "1h" in seconds.
Result<double> parse_seconds(const std::string& option, const std::string& text);

// "50us", "1.5us" or "20ns" in nanoseconds.
Result<double> parse_nanoseconds(const std::string& option, const std::string& text);

// "10Gbit/s", "400Mbit/s" or "12.5GB/s", whose prefixes are powers of 1000.
Result<double> parse_bits_per_second(const std::string& option, const std::string& text);

// "1%" or "0.01" as a fraction.
Result<double> parse_share(const std::string& option, const std::string& text);

}  // namespace gdbench::app
