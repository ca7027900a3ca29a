// The interpreter that implementations in Python run in: frameworks, and files that a command line names.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "harness/base/result.h"

namespace gdbench::app {

void add_python(CLI::App& command);

// What --python names becomes GDBENCH_PYTHON, before anything is asked. Errors: it is no program that can be run.
Status choose_interpreter(const std::vector<std::string>& command);

}  // namespace gdbench::app
