// What the first screen says around its grid: what was measured, and how the grid is read.
#pragma once

#include <string>

#include "reports/render/overview.h"

namespace gdbench::render {

// What was measured, most important first: "gdbench default, 7 scenarios, 26 implementations, 1 thread, f32 ..."
std::string measured_words(const report::Report& report);

// How to read the grid's marks and columns. `ratios`: whether every place has its own; `lead`: whether that column
// stands.
std::string grid_words(const Overview& overview, bool ratios, bool lead);

// The implementations that a grid without names shows: "Fastest of their kind: graph/jit 5, onednn 2; ...".
std::string names_words(const Overview& overview);

// "and 87 more scenarios: graph wins 60, hand 20, 7 without a winner"; empty where there are no more rows than those
// shown.
std::string hidden_words(const Overview& overview, std::size_t shown);

}  // namespace gdbench::render
