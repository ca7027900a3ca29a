// Renderer of what `gdbench doctor` finds.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::render {

// What spoils measurements first, each with its effect and what to do; then what is fine, a line each.
std::string conditions_table(const std::vector<report::Condition>& conditions, int width);

}  // namespace gdbench::render
