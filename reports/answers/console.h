// What the first screen and the plot are drawn for.
#pragma once

#include <string>

namespace gdbench::answers {

struct ConsoleOptions {
  bool colour = false;  // ANSI colours; the caller checks for a terminal and NO_COLOR
  int width = 100;      // columns of the terminal
  std::string file{};   // where the report is, for the commands that show more of it
};

}  // namespace gdbench::answers
