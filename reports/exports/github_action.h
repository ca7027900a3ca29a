// For benchmark-action/github-action-benchmark (version 1) with `tool: customSmallerIsBetter`.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::exports {

// An entry for each cell: a step's time, always in ns because the action tells series apart by their names alone, its
// interval as `range`, and as `extra` launches and remarks. The action fails on a report without a timed cell.
std::string github_action(const report::Report& report);

}  // namespace gdbench::exports
