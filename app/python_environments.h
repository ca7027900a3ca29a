// The Pythons that a command line names for frameworks and Python files: --python PATH, or environments side by side:
// --env old=~/venvs/2.14 --env new=~/venvs/2.15.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "harness/base/result.h"
#include "harness/protocol/discovery.h"

namespace gdbench::app {

// --python, and --env NAME=PATH, PATH the folder of an environment or a Python.
void add_python(CLI::App& command);
// --python alone.
void add_interpreter(CLI::App& command);

// Has adapters in Python run in what --env named from now on. Errors: a name that is none, or there twice; a path at
// which no Python starts.
Status use_environments();

// What --python names becomes GDBENCH_PYTHON, before anything is asked. Errors: it is no program that can be run.
Status choose_interpreter(const std::vector<std::string>& command);

// Those in use; they belong to this_build().
const std::vector<protocol::PythonEnvironment>& environments();

bool is_environment(const std::string& name);

// The id in the environment that is meant where it names none: the first one in use.
std::string in_first_environment(const std::string& id);

}  // namespace gdbench::app
