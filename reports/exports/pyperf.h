// For pyperf (pyperf 2, file format 1.0): `python -m pyperf show FILE`, check, compare_to, stats, hist.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::exports {

// A benchmark is a cell and a run a launch, because in both a run is a process. A run's values are the times of a step
// in seconds, one for each warm block; the cold block is its warm-up.
std::string pyperf(const report::Report& report);

}  // namespace gdbench::exports
