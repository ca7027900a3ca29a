// For R, pandas and spreadsheets: comma-separated values as in RFC 4180, with a line of names.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::exports {

// One line for each sample of each cell, also of failed ones: what the cell is, then the sample's fields as
// report.json names them. Times are of one step, in nanoseconds.
std::string samples(const report::Report& report);

}  // namespace gdbench::exports
