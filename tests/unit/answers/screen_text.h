// Texts as a terminal shows them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::tests {

// What `gdbench report --details` prints; 0: of any width.
std::string details_of(const report::Report& report, int width = 0, bool colour = false);

std::vector<std::string> lines_of(const std::string& text);

// Wherever its lines are broken.
bool says(const std::string& text, const std::string& words);

std::string without_colour(const std::string& text);

// "31 slower": the code of a style and what is in it, each once, in their order.
std::vector<std::string> styled_parts(const std::string& text);

}  // namespace gdbench::tests
