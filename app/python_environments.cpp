#include "app/python_environments.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "harness/protocol/process.h"

namespace gdbench::app {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPython = "--python";

std::vector<protocol::PythonEnvironment>& used() {
  static std::vector<protocol::PythonEnvironment> environments;
  return environments;
}

// By the command line, and not in use yet.
std::vector<std::string>& asked() {
  static std::vector<std::string> texts;
  return texts;
}

// Digits alone would be a number of threads: "graph/jit@2".
bool is_environment_name(const std::string& name) {
  return is_name(name) && name.find_first_not_of("0123456789") != std::string::npos;
}

// The interpreter at a path. Errors: none is there, or it does not start.
Result<fs::path> python_at(const std::string& option, const std::string& path) {
  constexpr double kMostSeconds = 60;
  std::error_code error;
  // A link in the environment's folder: what it names would run outside of it.
  const fs::path python = fs::absolute(fs::is_directory(path, error) ? fs::path(path) / "bin/python" : fs::path(path));
  if (!fs::is_regular_file(python, error)) {
    return usage_error(
        cat(option, ": found no ", python.string(), ", expected the folder of a Python environment, or a Python"));
  }
  Result<protocol::Process> process = protocol::Process::start({python.string(), "-c", ""}, {}, {});
  if (!process.ok()) return usage_error(cat(option, ": ", process.error().message));
  const protocol::ProcessEnd end = process->finish(kMostSeconds);
  if (end.is_success()) return python.lexically_normal();
  const std::string said = process->last_output_line();
  return usage_error(cat(option, ": ", python.string(), " does not start: ", said.empty() ? end.text() : said));
}

Status use_environment(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == text.size() || !is_environment_name(name)) {
    return usage_error(cat("--env: found ", in_quotes(text), ", expected NAME=PATH with a NAME of ", kExpectedName,
                           ", not of digits alone"));
  }
  if (is_environment(name)) {
    return usage_error(cat("--env ", name, ": found twice, expected a name of its own for each environment"));
  }
  used().push_back({name, TRY(python_at("--env " + name, text.substr(equals + 1)))});
  return {};
}

bool is_program(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

bool is_on_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program(fs::path(folder) / name)) return true;
  }
  return false;
}

// A link is kept: that of a virtual environment stands for the environment.
Status set_interpreter(const std::string& name) {
  const bool is_file = name.find('/') != std::string::npos;
  if (name.empty() || !(is_file ? is_program(name) : is_on_path(name))) {
    return usage_error(cat(kPython, ": found ", in_quotes(name), ", expected a Python interpreter"));
  }
  setenv("GDBENCH_PYTHON", is_file ? fs::absolute(name).c_str() : name.c_str(), 1);
  return {};
}

}  // namespace

void add_python(CLI::App& command) {
  add_value(command, "--env", "NAME=PATH", asked(),
            "Run Python adapters in this environment, a folder or a Python; given again, in each, side by side, "
            "as pytorch/eager@NAME")
      ->allow_extra_args(false);
  add_interpreter(command);
}

void add_interpreter(CLI::App& command) {
  static std::string read_before;
  add_value(command, std::string(kPython), "PATH", read_before,
            "The interpreter that frameworks and your own Python files run in, in place of GDBENCH_PYTHON");
}

Status choose_interpreter(const std::vector<std::string>& command) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.starts_with(cat(kPython, "="))) {
      TRY(set_interpreter(word.substr(kPython.size() + 1)));
    } else if (command[i - 1] == kPython) {
      TRY(set_interpreter(word));
    }
  }
  return {};
}

Status use_environments() {
  for (const std::string& text : std::exchange(asked(), {})) TRY(use_environment(text));
  return {};
}

const std::vector<protocol::PythonEnvironment>& environments() { return used(); }

bool is_environment(const std::string& name) {
  return std::ranges::find(used(), name, &protocol::PythonEnvironment::name) != used().end();
}

std::string in_first_environment(const std::string& id) {
  return used().empty() || !environment_of(id).empty() ? id : cat(id, "@", used().front().name);
}

}  // namespace gdbench::app
