#include "app/environments.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "harness/base/text.h"
#include "harness/protocol/process.h"

namespace gdbench::app {

namespace fs = std::filesystem;

namespace {

std::vector<protocol::PythonEnvironment>& used() {
  static std::vector<protocol::PythonEnvironment> environments;
  return environments;
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

}  // namespace

void add_environments(CLI::App& command, std::vector<std::string>& texts) {
  command
      .add_option(
          "--env", texts,
          "Run Python adapters in this environment, a folder or a Python; given again, in each, side by side, as "
          "pytorch/eager@NAME")
      ->type_name("NAME=PATH")
      ->allow_extra_args(false);
}

Status use_environments(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
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
  }
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
