#include "app/interpreter.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "harness/base/text.h"

namespace gdbench::app {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOption = "--python";

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
    return usage_error(cat(kOption, ": found ", in_quotes(name), ", expected a Python interpreter"));
  }
  setenv("GDBENCH_PYTHON", is_file ? fs::absolute(name).c_str() : name.c_str(), 1);
  return {};
}

}  // namespace

void add_python(CLI::App& command) {
  static std::string read_before;
  command
      .add_option(std::string(kOption), read_before,
                  "The interpreter that frameworks and your own Python files run in, in place of GDBENCH_PYTHON")
      ->type_name("PATH");
}

Status choose_interpreter(const std::vector<std::string>& command) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.starts_with(cat(kOption, "="))) {
      TRY(set_interpreter(word.substr(kOption.size() + 1)));
    } else if (command[i - 1] == kOption) {
      TRY(set_interpreter(word));
    }
  }
  return {};
}

}  // namespace gdbench::app
