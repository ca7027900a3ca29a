#include "harness/measure/time_needed.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "harness/measure/profile_cell.h"
#include "harness/verify/divergence.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::measure {

namespace {

// On one quiet processor of 2024, in seconds: from the start of a worker until it is prepared, and what verifying and
// calibrating wait for besides. Slower machines show in what the first scenarios take.
constexpr double kStart = 0.04;
constexpr double kAdapterStart = 3;
constexpr double kPauses = 0.06;
// Operations per second of a step, between plain loops and a vendor's library.
constexpr double kStepRate = 3e10;
// Blocks' worth of steps: to calibrate and to profile; in a launch, some of which look at other lengths.
constexpr double kBlocksToVerify = 10;
constexpr double kBlocksOfLaunch = 22;

double block_seconds(const scenario::Problem& problem, const BlockTimes& times) {
  const double step = scenario::operations_per_step(problem) / kStepRate;
  return std::max(times.seconds + times.warm_up_seconds, 2 * step);  // at least one step, and one to warm up
}

}  // namespace

double launch_seconds(double start_seconds, double block_seconds) {
  return start_seconds + kBlocksOfLaunch * block_seconds;
}

TimeNeeded::TimeNeeded(const Plan& plan, const RunOptions& options, const report::Report& report) {
  for (const auto& planned : plan.scenarios) {
    if (planned->cells.empty()) continue;
    references_[planned.get()] = verify::reference_seconds(planned->problem, {}) +
                                 verify::convergence_seconds(planned->problem, planned->scenario.steps);
    const PlannedCell* before = nullptr;
    for (const PlannedCell& cell : planned->cells) {
      CellTime& time = cells_[cell.index];
      time.scenario = planned.get();
      time.is_adapter = !cell.entry->hosted();
      const double block = block_seconds(planned->problem, options.block_of(cell));
      const BlockTimes& times = options.block_of(cell);
      time.is_unsure = time.is_adapter || block > times.seconds + times.warm_up_seconds;
      const double start = time.is_adapter ? kAdapterStart : kStart;
      const bool is_profiled = options.profiles && !profiled_in_launch(cell);
      if (is_profiled && options.launches > 1) {
        const auto repeated = std::min<std::size_t>(kMaxProfiles, static_cast<std::size_t>(options.launches)) - 1;
        time.profiles = static_cast<double>(repeated) * (start + kPauses + 2 * kBlocksOfAGlance * block);
      }
      time.verification = (is_profiled ? 2 : 1) * start + kPauses + kBlocksToVerify * block;
      time.launch = launch_seconds(start, block);
      const report::Cell& known = report.cells.at(cell.index);
      time.launches = static_cast<int>(known.launches.size());
      const bool is_control = before != nullptr && before->unit == cell.unit && before->entry == cell.entry;
      if (is_control || known.status.state != report::CellState::pending) time.verification = 0;  // or its twin's
      before = &cell;
    }
  }
}

void TimeNeeded::referenced(const PlannedScenario& planned, double seconds) {
  const auto found = references_.find(&planned);
  if (found == references_.end()) return;
  making_references_.add(found->second, seconds);
  references_.erase(found);
}

void TimeNeeded::verified(std::size_t cell, double seconds, double launch) {
  CellTime& time = cells_.at(cell);
  verifying_[time.is_adapter].add(std::exchange(time.verification, 0), seconds);
  if (launch <= 0) return;
  time.launch = launch;
  time.launch_is_known = true;
}

void TimeNeeded::launched(std::span<const std::size_t> cells, double seconds) {
  LaunchesOfCells one_of_each;
  for (const std::size_t cell : cells) one_of_each[cell] = 1;
  const double factor = seconds / std::max(of(one_of_each), 1e-9);
  std::vector<double> took;
  for (const std::size_t cell : cells) took.push_back(factor * launch_of(cells_.at(cell)));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CellTime& cell = cells_.at(cells[i]);
    if (cell.launch_is_known && cell.launches == 0) launching_[cell.is_adapter].add(cell.launch, took[i]);
    // The mean of its launches: the first one has all checks, others some.
    cell.launch = (cell.launch * cell.launches + took[i]) / (cell.launches + 1);
    ++cell.launches;
  }
}

double TimeNeeded::verification_of(const CellTime& cell) const {
  const auto learned = verifying_.find(cell.is_adapter);
  return cell.verification * (learned == verifying_.end() ? 1 : learned->second.factor());
}

double TimeNeeded::launch_of(const CellTime& cell) const {
  if (cell.launches > 0) return cell.launch;
  const auto& learned = cell.launch_is_known ? launching_ : verifying_;
  const auto found = learned.find(cell.is_adapter);
  return cell.launch * (found == learned.end() ? 1 : found->second.factor());
}

double TimeNeeded::rest(int launches, const PlannedScenario* under_way) const {
  LaunchesOfCells more;
  for (const auto& [index, cell] : cells_) {
    if (cell.scenario != under_way) more[index] = std::max(0, launches - cell.launches);
  }
  double rest = of(more);
  for (const auto& [index, cell] : cells_) {
    if (cell.scenario == under_way) rest += launch_of(cell) * std::max(0, launches - cell.launches);
  }
  return rest;
}

Span TimeNeeded::rest_at_start(int launches) const {
  constexpr double kOftenLess = 4;  // NumPy starts in a second
  constexpr double kOftenMore = 2;
  LaunchesOfCells unsure;
  for (const auto& [index, cell] : cells_) {
    if (cell.is_unsure && !cell.launch_is_known && cell.launches == 0)
      unsure[index] = std::max(0, launches - cell.launches);
  }
  const double all = rest(launches);
  const double part = of(unsure);
  return {all - part + part / kOftenLess, all - part + part * kOftenMore};
}

double TimeNeeded::of(const LaunchesOfCells& launches) const {
  double seconds = 0;
  std::set<const PlannedScenario*> referenced;
  for (const auto& [index, count] : launches) {
    const CellTime& cell = cells_.at(index);
    if (cell.verification > 0) seconds += cell.profiles;
    seconds += verification_of(cell) + count * launch_of(cell);
    const auto reference = references_.find(cell.scenario);
    if (cell.verification == 0 || reference == references_.end()) continue;
    if (referenced.insert(cell.scenario).second) seconds += making_references_.factor() * reference->second;
  }
  return seconds;
}

}  // namespace gdbench::measure
