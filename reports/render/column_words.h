// What the columns, marks and sentences of a report mean.
#pragma once

#include <string>
#include <vector>

namespace gdbench::render {

// One sentence or two for each, in the order in which they appear.
std::vector<std::string> column_words();

}  // namespace gdbench::render
