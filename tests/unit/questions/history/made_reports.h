// Reports of a history as read_reports returns them, with times that scatter in a known way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/questions/history/reports.h"

namespace gdbench::history {

constexpr double kScatter = 0.005;  // standard deviation of a report's times around their level

struct Level {
  int reports;
  double step_ns;
};

// Report number i is of revision "r<i>", begins i minutes after the first one, and has the cell "s/a", of 10 launches,
// whose step takes what its level says times a scatter that the seed decides.
ReadReports reports_taking(const std::vector<Level>& levels, std::uint64_t seed = 1);

}  // namespace gdbench::history
