#include "harness/measure/time_needed.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/measure/expected.h"
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
// Of a block by the reference: for a cell's first launch and in it, and in each other one.
constexpr double kReplaysOfFirst = 2.5;
constexpr double kReplays = 0.5;
// Profiles at the end of an adapter's first launch, with its framework's own profiler.
constexpr double kProfilesOfAdapter = 1.5;

// A step takes at least.
constexpr double kLeastStep = 2e-8;

double step_seconds(const scenario::Problem& problem) {
  return std::max(kLeastStep, scenario::operations_per_step(problem) / kStepRate);
}

double block_seconds(const scenario::Problem& problem, const BlockTimes& times) {
  // At least one step, and one to warm up.
  return std::max(times.seconds + times.warm_up_seconds, 2 * step_seconds(problem));
}

// In KnownTimes, before a cell's name.
constexpr const char* kVerification = "verification ";
constexpr const char* kExpectedLaunch = "expected launch ";
constexpr const char* kLaunch = "launch ";
constexpr const char* kFirst = "first launch ";
constexpr const char* kProfile = "profile ";

// Other builds of an implementation take other times; its arms and its control take the same.
std::string start_name(const report::Cell& cell) { return cat("start ", cell.implementation, " ", cell.build); }

std::string name_of(const report::Cell& cell, bool profiles) {
  std::string name = cat(cell.scenario, " ", cell.implementation, " ", cell.build, " ", cell.threads, " ",
                         cell.ranks.value_or(1), profiles ? " profiled" : "");
  for (const auto& [key, value] : cell.options) name += cat(" ", key, "=", value);
  return name;
}

std::string references_name(const PlannedScenario& planned, const report::Report& report) {
  return "references " + report.cells.at(planned.cells.front().index).scenario;
}

// From the start of the latest launch's worker until it makes steady steps.
double start_seconds(const report::Cell& cell) {
  const report::Launch& launch = cell.launches.back();
  const double step_ns = cell.samples.empty() ? launch.first_step_ns : cell.samples.back().real_ns;
  return launch.start_seconds + launch.load_seconds + launch.prepare_seconds +
         std::max(0.0, launch.first_step_ns - step_ns) * 1e-9;
}

}  // namespace

double launch_seconds(double start_seconds, double block_seconds) {
  return start_seconds + kBlocksOfLaunch * block_seconds;
}

TimeNeeded::TimeNeeded(const Plan& plan, const RunOptions& options, const report::Report& report)
    : known_(options.known_times), report_(report) {
  for (const auto& planned : plan.scenarios) {
    if (planned->cells.empty()) continue;
    references_[planned.get()] = references(*planned);
    const PlannedCell* before = nullptr;
    for (const PlannedCell& cell : planned->cells) {
      CellTime& time = cells_[cell.index];
      time = guessed(*planned, cell, options);
      look_up(time);
      const report::Cell& found = report.cells.at(cell.index);
      time.launches = static_cast<int>(found.launches.size());
      const bool is_control = before != nullptr && before->unit == cell.unit && before->entry == cell.entry;
      if (is_control || found.status.state != report::CellState::pending) {  // or its twin's
        time.verification = 0;
        time.profiles = 0;
      }
      before = &cell;
    }
  }
}

TimeNeeded::References TimeNeeded::references(const PlannedScenario& planned) const {
  const double taken = known(references_name(planned, report_));
  // What took longer was kept on the disk.
  constexpr double kReadingSeconds = 0.05;
  if (taken > 0) return {std::min(taken, kReadingSeconds), true};
  return {verify::reference_seconds(planned.problem, {}) +
          verify::convergence_seconds(planned.problem, planned.scenario.steps)};
}

TimeNeeded::CellTime TimeNeeded::guessed(const PlannedScenario& planned, const PlannedCell& cell,
                                         const RunOptions& options) const {
  const report::Cell& reported = report_.cells.at(cell.index);
  CellTime time;
  time.scenario = &planned;
  time.name = name_of(reported, options.profiles);
  time.is_adapter = !cell.entry->hosted();
  const double known_start = known(start_name(reported));
  const double start = known_start > 0 ? known_start : time.is_adapter ? kAdapterStart : kStart;
  const BlockTimes& times = options.block_of(cell);
  const double block = block_seconds(planned.problem, times);
  time.is_unsure = (time.is_adapter && known_start == 0) || block > times.seconds + times.warm_up_seconds;
  const bool is_profiled = options.profiles && !profiled_in_launch(cell);
  if (is_profiled && options.launches > 1) {
    time.profiles = std::min(static_cast<int>(kMaxProfiles), options.launches) - 1;
    time.profile = start + kPauses + 2 * kBlocksOfAGlance * block;
  }
  time.verification = (is_profiled ? 2 : 1) * start + kPauses + kBlocksToVerify * block;
  time.launch = launch_seconds(start, block);
  time.is_replayed = cell.proof == Proof::trajectory;
  if (time.is_adapter && options.profiles) time.profiles_in_first = kProfilesOfAdapter;
  add_checks(replay_seconds(planned.problem, static_cast<std::uint64_t>(block / step_seconds(planned.problem))), time);
  return time;
}

// To a launch that has none, nor profiles.
void TimeNeeded::add_checks(double replay_seconds, CellTime& time) const {
  if (!time.is_replayed) replay_seconds = 0;
  time.launch += kReplays * replay_seconds;
  time.first = (kReplaysOfFirst - kReplays) * replay_seconds + time.profiles_in_first;
}

void TimeNeeded::look_up(CellTime& time) const {
  const double verification = known(kVerification + time.name);
  if (verification == 0) return;
  const double launch = known(kLaunch + time.name);
  time.verification = verification;
  time.expected_launch = known(kExpectedLaunch + time.name);  // 0: it was not right, or cannot be trained
  time.launch = launch > 0 ? launch : time.expected_launch;
  time.first = known(kFirst + time.name);
  if (const double profile = known(kProfile + time.name); profile > 0) time.profile = profile;
  time.is_known = time.launch_is_known = true;
  time.is_unsure = false;
}

void TimeNeeded::keep(const std::string& what, double seconds) const {
  if (known_ != nullptr && seconds > 0) known_->set(what, seconds);
}

void TimeNeeded::referenced(const PlannedScenario& planned, double seconds) {
  const auto found = references_.find(&planned);
  if (found == references_.end()) return;
  if (!found->second.is_known) making_references_.add(found->second.seconds, seconds);
  keep(references_name(planned, report_), seconds);
  references_.erase(found);
}

void TimeNeeded::verified(std::size_t cell, double seconds, double launch) {
  CellTime& time = cells_.at(cell);
  verifying_[time.kind()].add(std::exchange(time.verification, 0), seconds);
  keep(kVerification + time.name, seconds);
  if (launch <= 0) return;
  const CellTime before = time;
  time.launch = launch;
  const auto& block = report_.cells.at(cell).block;
  add_checks(block ? replay_seconds(time.scenario->problem, block->steps) : 0, time);
  keep(kExpectedLaunch + time.name, time.launch);
  time.launch_is_known = true;
  if (before.expected_launch == 0 || before.launch == 0) return;
  // Its block may be another one than in the earlier run.
  const double factor = time.launch / before.expected_launch;
  time.launch = factor * before.launch;
  time.first = factor * before.first;
}

void TimeNeeded::profiled(std::size_t cell, double seconds) {
  CellTime& time = cells_.at(cell);
  time.profiles = std::max(0, time.profiles - 1);
  time.profile = seconds;
  keep(kProfile + time.name, seconds);
}

void TimeNeeded::launched(std::span<const std::size_t> cells, double seconds) {
  std::vector<double> shares;
  for (const std::size_t cell : cells) shares.push_back(launches_of(cells_.at(cell), 1));
  const double factor = seconds / std::max(std::accumulate(shares.begin(), shares.end(), 0.0), 1e-9);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double took = factor * shares[i];
    CellTime& cell = cells_.at(cells[i]);
    if (cell.launches == 0) {
      const double expected = cell.launch + cell.first;
      if (cell.launch_is_known) launching_[cell.kind()].add(expected, took);
      cell.launch *= took / std::max(expected, 1e-9);
      cell.first *= took / std::max(expected, 1e-9);
    } else {  // the mean of those after the first
      cell.launch = (cell.launch * (cell.launches - 1) + took) / cell.launches;
    }
    ++cell.launches;
    cell.profiles = 0;  // those that there was no time for, or that it does not offer
    const report::Cell& reported = report_.cells.at(cells[i]);
    if (reported.status.state != report::CellState::ok || reported.launches.empty()) continue;
    keep(kLaunch + cell.name, cell.launch);
    keep(kFirst + cell.name, cell.first);
    keep(start_name(reported), start_seconds(reported));
  }
}

double TimeNeeded::verification_of(const CellTime& cell) const {
  const auto learned = verifying_.find(cell.kind());
  return cell.verification * (learned == verifying_.end() ? 1 : learned->second.factor());
}

// The next so many.
double TimeNeeded::launches_of(const CellTime& cell, int count) const {
  if (cell.launches > 0) return count * cell.launch;
  const auto& learned = cell.launch_is_known ? launching_ : verifying_;
  const auto found = learned.find(cell.kind());
  const double factor = found == learned.end() ? 1 : found->second.factor();
  return factor * (count * cell.launch + (count > 0 ? cell.first : 0));
}

double TimeNeeded::seconds_of(const References& references) const {
  return references.seconds * (references.is_known ? 1 : making_references_.factor());
}

// Of a cell that has no time none are.
int TimeNeeded::missing(std::size_t cell, int launches) const {
  const report::CellState state = report_.cells[cell].status.state;
  const bool is_open = state == report::CellState::ok || state == report::CellState::pending;
  return is_open ? std::max(0, launches - cells_.at(cell).launches) : 0;
}

double TimeNeeded::rest(int launches, const PlannedScenario* under_way) const {
  LaunchesOfCells more;
  double rest = 0;
  for (const auto& [index, cell] : cells_) {
    const int count = missing(index, launches);
    if (cell.scenario == under_way) {
      rest += launches_of(cell, count);
    } else {
      more[index] = count;
    }
  }
  return rest + of(more);
}

Span TimeNeeded::rest_at_start(int launches) const {
  constexpr double kOftenLess = 4;  // NumPy starts in a second
  constexpr double kOftenMore = 2;
  LaunchesOfCells unsure;
  for (const auto& [index, cell] : cells_) {
    if (cell.is_unsure && !cell.launch_is_known && cell.launches == 0) unsure[index] = missing(index, launches);
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
    seconds += verification_of(cell) + cell.profiles * cell.profile + launches_of(cell, count);
    const auto reference = references_.find(cell.scenario);
    if (cell.verification == 0 || reference == references_.end()) continue;
    if (referenced.insert(cell.scenario).second) seconds += seconds_of(reference->second);
  }
  return seconds;
}

}  // namespace gdbench::measure
