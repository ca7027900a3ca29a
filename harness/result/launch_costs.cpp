#include "harness/result/launch_costs.h"

#include <cmath>
#include <map>
#include <utility>

#include "harness/result/pairing.h"

namespace gdbench::result {

std::vector<stats::LaunchCost> launch_costs(const Cell& cell) {
  std::map<int, std::vector<double>> times = times_by_launch(cell);
  std::vector<stats::LaunchCost> costs;
  for (const Launch& launch : cell.launches) {
    const auto steady = times.find(launch.launch);
    if (steady == times.end()) continue;
    const double step_ns = stats::median(std::move(steady->second));
    const double ready_ns = (launch.load_seconds + launch.prepare_seconds) * 1e9 + launch.first_step_ns - step_ns;
    if (std::isfinite(ready_ns)) costs.push_back({launch.launch, ready_ns, step_ns});
  }
  return costs;
}

}  // namespace gdbench::result
