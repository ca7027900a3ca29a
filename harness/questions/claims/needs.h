// Which cells of a report a claim is about, before they are measured.
#pragma once

#include <cstddef>
#include <set>

#include "harness/base/result.h"
#include "harness/questions/claims/expand.h"
#include "harness/report/report.h"

namespace gdbench::claims {

// Indices of the report's cells.
struct NeededCells {
  std::set<std::size_t> deciding;  // that the verdict rests on
  std::set<std::size_t> shown;     // that are shown with them
  bool lacks_some = false;         // a deciding cell is not there or cannot be measured here
};

// Errors: a scenario that cannot be read.
Result<NeededCells> needed_cells(const ExpandedClaim& claim, const report::Report& report);

}  // namespace gdbench::claims
