// Texts as a terminal shows them.
#pragma once

#include <string>
#include <vector>

namespace gdbench::tests {

std::vector<std::string> lines_of(const std::string& text);

// Wherever its lines are broken.
bool says(const std::string& text, const std::string& words);

std::string without_colour(const std::string& text);

// "31 slower": the code of a style and what is in it, each once, in their order.
std::vector<std::string> styled_parts(const std::string& text);

}  // namespace gdbench::tests
