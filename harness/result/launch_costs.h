// What each launch of a cell spent before its steady steps, and on one of them: what break-even is computed from.
#pragma once

#include <vector>

#include "harness/result/report.h"
#include "harness/stats/break_even.h"

namespace gdbench::result {

// Launches without a warm sample are left out. Ready after load, prepare, and what the first step takes beyond a steady
// one; starting the process is the harness's and not counted. Linear in the number of samples.
std::vector<stats::LaunchCost> launch_costs(const Cell& cell);

}  // namespace gdbench::result
