// What `git bisect run` makes of a comparison.
#pragma once

#include <optional>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::app {

constexpr int kBisectSkip = 125;  // "cannot be tested"

// 0 where nothing is slower, 1 where something is, kBisectSkip where that is not decided: by the comparison or, without
// one, by the implementations that the report has in several environments. Prints which of them and why, on stderr.
int bisect(const report::Report& report, const std::optional<report::ReportComparison>& comparison);

}  // namespace gdbench::app
