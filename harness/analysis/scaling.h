// What more threads bring, from the samples of cells that were measured side by side with their single-threaded selves.
#pragma once

#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// Of a report whose cells have their summaries, in the order of its cells. Cells that use more processors than they
// have threads are left out, as a single and beside one, and so are controls. Linear in the samples.
std::vector<report::ThreadScaling> thread_scaling_of(const report::Report& report);

}  // namespace gdbench::analysis
