// What the commands add to CLI11: how one runs and ends, values with units, and errors of one line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "harness/base/result.h"

namespace gdbench::app {

// `run` returns the exit status, or an error that is printed; what it was interrupted in is no error.
void when_chosen(CLI::App& command, Invocation& invocation, std::function<Result<int>()> run);

// An option or an operand; the help calls its value `type`.
template <class Value>
CLI::Option* add_value(CLI::App& command, const std::string& name, const std::string& type, Value& value,
                       const std::string& description) {
  return command.add_option(name, value, description)->type_name(type);
}

// A file to be written; the option without a value stands for stdout, as "-" does.
void add_document(CLI::App& command, const std::string& name, std::string& path, const std::string& description);

// --until decided: `description` says what ends, and when.
void add_until(CLI::App& command, std::string& until, const std::string& description);

// Validators that make a number of a value with a unit.
CLI::Validator as_seconds();          // "90", "90s", "2m", "1h"
CLI::Validator as_nanoseconds();      // "50us", "1.5us", "20ns"
CLI::Validator as_bits_per_second();  // "10Gbit/s", "400Mbit/s", "12.5GB/s": prefixes are powers of 1000
CLI::Validator as_share();            // "1%" or "0.01", as a fraction

// Validators that say what was found and what was expected.
CLI::Validator integer_from(std::int64_t least, std::int64_t most);
CLI::Validator number_from(double least, double most);
CLI::Validator name_of_these(const std::vector<std::string>& names);
CLI::Validator readable_file();

std::vector<CLI::App*> commands_of(CLI::App& app);
std::vector<std::string> option_names(const CLI::App& command);  // "--out"
// As --help prints it; `usage` is what its usage line begins with.
std::string help_of(const CLI::App& command, const std::string& usage);

// Parses argv and calls what was chosen. --help and the like print to stdout; a usage error prints one line to stderr
// and sets `status`.
void parse(CLI::App& program, const std::vector<std::string>& arguments, int& status);

}  // namespace gdbench::app
