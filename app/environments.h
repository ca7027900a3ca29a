// Python environments that a command line names: --env old=~/venvs/2.14 --env new=~/venvs/2.15.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "harness/base/result.h"
#include "harness/protocol/discovery.h"

namespace gdbench::app {

// --env NAME=PATH.
void add_environments(CLI::App& command, std::vector<std::string>& texts);

// Has adapters in Python run in these from now on. Each is NAME=PATH, PATH the folder of an environment or a Python.
// Errors: a name that is none, or there twice; a path at which no Python starts.
Status use_environments(const std::vector<std::string>& texts);

// Those in use; they belong to this_build().
const std::vector<protocol::PythonEnvironment>& environments();

bool is_environment(const std::string& name);

// The id in the environment that is meant where it names none: the first one in use.
std::string in_first_environment(const std::string& id);

}  // namespace gdbench::app
