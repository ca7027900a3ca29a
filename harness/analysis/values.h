// What one value of --set takes beside another, from the samples of cells that were measured in the same launches.
#pragma once

#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// Of a report whose cells have their summaries: each cell, in the report's order, beside the one that has the first
// value of a key of its own, and all else the same. Controls are left out. Linear in the samples.
std::vector<report::ValueComparison> value_comparisons_of(const report::Report& report);

}  // namespace gdbench::analysis
