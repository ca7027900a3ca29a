// What each launch of a cell spent before its steady steps, and on one of them: what break-even points and times to a
// target are computed from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analysis/pairing.h"
#include "harness/report/report.h"
#include "harness/stats/break_even.h"

namespace gdbench::analysis {

// Launches without a warm sample are left out. Ready after load, prepare, and what the first step takes beyond a steady
// one. Not counted are the start of the process, which is the harness's, and imports: they are a framework's, whichever
// of its modes runs, and would hide what differs. Linear in the number of samples.
std::vector<stats::LaunchCost> launch_costs(const report::Cell& cell);

// Of launch_costs() the median of what comes before steady steps; nothing without launches.
std::optional<double> ready_ns(const report::Cell& cell);

// Launch -> nanoseconds that a training of so many steps takes, with all that it has to wait for before.
ByLaunch training_times(const report::Cell& cell, std::uint64_t steps);

// Time to a target loss, from the steps that a training took and what a step takes. From the cell's launches, whose
// scatter its intervals rest on. Nothing unless its training reached the target and a launch of it was finished.
std::optional<report::TimeToTarget> time_to_target(const report::Cell& cell);

}  // namespace gdbench::analysis
