#include "harness/analysis/launch_costs.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/pairing.h"

namespace gdbench::analysis {

std::vector<stats::LaunchCost> launch_costs(const report::Cell& cell) {
  const std::map<int, std::vector<double>> times = times_by_launch(cell);
  std::vector<stats::LaunchCost> costs;
  for (const report::Launch& launch : cell.launches) {
    const auto steady = times.find(launch.launch);
    if (steady == times.end()) continue;
    const double step_ns = *std::min_element(steady->second.begin(), steady->second.end());
    const double loading_seconds = launch.load_seconds + launch.prepare_seconds - launch.import_seconds.value_or(0);
    const double ready_ns = loading_seconds * 1e9 + launch.first_step_ns - step_ns;
    if (std::isfinite(ready_ns)) costs.push_back({launch.launch, ready_ns, step_ns});
  }
  return costs;
}

std::map<int, double> training_times(const report::Cell& cell, std::uint64_t steps) {
  std::map<int, double> times;
  for (const stats::LaunchCost& cost : launch_costs(cell)) {
    times[cost.launch] = cost.ready_ns + static_cast<double>(steps) * cost.step_ns;
  }
  return times;
}

}  // namespace gdbench::analysis
