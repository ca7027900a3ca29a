// Cells as a run leaves them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// With a warm block in each launch, on a processor for each thread.
inline report::Cell measured_cell(const std::string& scenario, const std::string& implementation,
                                  const std::vector<double>& steps_ns = {}, int threads = 1) {
  report::Cell cell;
  cell.id = scenario + "/" + implementation;
  cell.scenario = scenario;
  cell.implementation = implementation;
  cell.threads = threads;
  cell.status.state = report::CellState::ok;
  for (const double step_ns : steps_ns) {
    const auto launch = static_cast<int>(cell.samples.size());
    cell.samples.push_back(
        {.launch = launch, .round = 1, .steps = 10, .real_ns = step_ns, .cpu_ns = step_ns * threads});
  }
  return cell;
}

}  // namespace gdbench::analysis
