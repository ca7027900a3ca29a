// What a command that answers a question puts out: its answer on stdout, and the same as a page where one is wanted.
#pragma once

#include <functional>
#include <string>

#include "app/command_line.h"
#include "harness/base/result.h"

namespace gdbench::app {

// --html, which writes `what`: "the verdicts".
void add_html(CommandLine& command, std::string& path, const std::string& what = "the answer");

// Prints `answer`, unless `html` is stdout; then writes what `page` makes to `html`, where that is not empty.
Status print_answer(const std::string& answer, const std::string& html, const std::function<std::string()>& page);

}  // namespace gdbench::app
