// Implementations that a command line names by their file: ./mine.py, ./mine.cpp, ./mine.c, ./mine.so.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/protocol/discovery.h"

namespace gdbench::app {

// A command line whose --impl and --baseline name ids in the place of files, and whose `plugin check` names the plugin
// that a source was compiled to. Each file is asked what it offers; sources of C and C++ are compiled first, once for
// each content, by $CC or $CXX or the system's compiler. "./mine.py:loop" names one of what a file offers, and
// "./mine.py:loop@old" the same in an environment. Errors: a file that cannot be compiled or asked, with its cause.
Result<std::vector<std::string>> replace_own_files(const std::vector<std::string>& command);

// The description (harness/questions/fairness/DESCRIPTION.md) that a script gives of its training, which runs until it
// calls gdbench.describe; that writes it to `written`. Errors: it ends without that.
Status describe_script(const std::string& script, const std::filesystem::path& written);

// The files that replace_own_files found: Python files, and plugins. They belong to this_build().
const std::vector<protocol::NamedFile>& own_files();

}  // namespace gdbench::app
