// The tables of the first screen, an overview's places as texts in as many columns as there is room for, and what is
// said around them: what was measured, and how they are read.
#pragma once

#include <string>
#include <vector>

#include "reports/answers/overview.h"
#include "reports/answers/table.h"

namespace gdbench::answers {

// What of an overview is shown.
struct GridParts {
  bool ratios = true;                // in every place; else only that of the fastest, in a column of its own
  bool lead = true;                  // what the fastest is ahead of the runner-up by
  bool names = true;                 // which implementation a place is of, where a column has several
  std::size_t rows = kMaxRows;       // those of the most interest
  std::vector<std::size_t> columns;  // in order
};

// The scenarios' rows, labels in at most `label_width` columns; times in one unit per row.
Columns grid_table(const Overview& overview, const GridParts& parts, std::size_t label_width);

// The columns of a turned overview going down, at most kMaxRows, with intervals and verdicts.
Columns turned_table(const Overview& overview, std::size_t label_width);

// Every part and column.
GridParts all_parts(const Overview& overview);

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

}  // namespace gdbench::answers
