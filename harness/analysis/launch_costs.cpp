#include "harness/analysis/launch_costs.h"

#include <cmath>

namespace gdbench::analysis {

std::vector<stats::LaunchCost> launch_costs(const report::Cell& cell) {
  const ByLaunch steps = step_by_launch(cell);
  std::vector<stats::LaunchCost> costs;
  for (const report::Launch& launch : cell.launches) {
    const auto steady = steps.find(launch.launch);
    if (steady == steps.end()) continue;
    const double step_ns = steady->second;
    const double loading_seconds = launch.load_seconds + launch.prepare_seconds - launch.import_seconds.value_or(0);
    const double ready_ns = loading_seconds * 1e9 + launch.first_step_ns - step_ns;
    if (std::isfinite(ready_ns)) costs.push_back({launch.launch, ready_ns, step_ns});
  }
  return costs;
}

std::optional<double> ready_ns(const report::Cell& cell) {
  std::vector<double> ready;
  for (const stats::LaunchCost& cost : launch_costs(cell)) ready.push_back(cost.ready_ns);
  if (ready.empty()) return std::nullopt;
  return stats::median(std::move(ready));
}

ByLaunch training_times(const report::Cell& cell, std::uint64_t steps) {
  ByLaunch times;
  for (const stats::LaunchCost& cost : launch_costs(cell)) {
    times[cost.launch] = cost.ready_ns + static_cast<double>(steps) * cost.step_ns;
  }
  return times;
}

namespace {

stats::Estimate time_of(const report::Cell& cell, std::uint64_t steps, double constant_ns) {
  std::vector<stats::Observation> observations;
  for (const auto& [launch, nanoseconds] : training_times(cell, steps)) {
    observations.push_back({launch, nanoseconds + constant_ns});
  }
  return stats::typical_time(observations);
}

}  // namespace

std::optional<report::TimeToTarget> time_to_target(const report::Cell& cell) {
  if (!cell.target || cell.target->state != report::TargetState::reached) return std::nullopt;
  const std::optional<double> ready = ready_ns(cell);
  if (!ready) return std::nullopt;
  report::TimeToTarget result;
  result.time_ns = time_of(cell, cell.target->steps, 0);
  result.ready_ns = ready;
  if (cell.target->evaluation_seconds) {
    result.with_evaluations_ns = time_of(cell, cell.target->stopped_after, *cell.target->evaluation_seconds * 1e9);
  }
  return result;
}

}  // namespace gdbench::analysis
