// The tables of the first screen: an overview's places as texts, in as many columns as there is room for.
#pragma once

#include <string>
#include <vector>

#include "reports/render/overview.h"
#include "reports/render/table.h"

namespace gdbench::render {

// What of an overview is shown.
struct GridParts {
  bool ratios = true;                // in every place; else only that of the fastest, in a column of its own
  bool lead = true;                  // what the fastest is ahead of the next column by
  bool names = true;                 // which implementation a place is of, where a column has several
  std::size_t rows = kMaxRows;       // those of the most interest
  std::vector<std::size_t> columns;  // in order
};

// The scenarios' rows, labels in at most `label_width` columns; times in one unit per row.
TextTable grid_table(const Overview& overview, const GridParts& parts, std::size_t label_width);

// The columns of a turned overview going down, at most kMaxRows, with intervals and verdicts.
TextTable turned_table(const Overview& overview, std::size_t label_width);

// Every part and column.
GridParts all_parts(const Overview& overview);

}  // namespace gdbench::render
