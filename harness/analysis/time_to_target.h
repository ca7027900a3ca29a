// Time to a target loss, from the steps that a training took and what a step takes.
#pragma once

#include <optional>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// From the cell's launches, whose scatter its intervals rest on. Nothing unless its training reached the target and a
// launch of it was finished.
std::optional<report::TimeToTarget> time_to_target(const report::Cell& cell);

// The times of two cells that reached a target, launch by launch: what stats::compare decides by.
std::vector<stats::Pair> pairs_to_target(const report::Cell& base, const report::Cell& candidate);

}  // namespace gdbench::analysis
