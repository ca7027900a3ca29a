#include "harness/measure/preparation.h"

#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "harness/measure/profile_cell.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::measure {

namespace {

using report::CellState;

// What verification, with trainings to targets, may take of a budget that is kept: a verification takes about as long
// as a launch, of which three are needed.
constexpr double kVerificationShareOfBudget = 0.4;

// What verifying a scenario may take of a budget whose share for verification is spent.
constexpr double kCheapShareOfBudget = 0.005;

// What profiles beyond a cell's first may take of the budget: in a run of few cells enough for all that are kept, in
// one of a hundred none.
constexpr double kProfileShareOfBudget = 0.05;

}  // namespace

Preparation::Preparation(const Plan& plan, const RunOptions& options, report::Report& report, report::Journal& journal)
    : options_(options),
      report_(report),
      journal_(journal),
      time_needed_(plan, options, report),
      goals_(options, report, time_needed_),
      target_time_(plan, options.budget_seconds) {}

Status Preparation::verify(const std::vector<PlannedScenario*>& scenarios) {
  warn_of_short_budget();
  for (PlannedScenario* planned : scenarios) {
    if (planned->cells.empty()) continue;
    goals_.choose();
    if (no_time_to_verify(*planned)) continue;
    const double scenario_start = options_.elapsed();
    TRY(planned->acquire());
    if (!has_more_to_verify(*planned)) continue;  // its cells are known from the journal of a run that goes on
    ReferenceTrajectories references(*planned, options_);
    TRY(references.status());
    time_needed_.referenced(*planned, options_.elapsed() - scenario_start);
    for (const PlannedCell& planned_cell : planned->cells) {
      report::Cell& cell = report_.cells[planned_cell.index];
      if (!is_to_verify(planned_cell)) continue;
      options_.progress({"verify " + cell.id, share_done(), seconds_left()});
      if (repeats_verified_cell(*planned, planned_cell)) {
        time_needed_.verified(planned_cell.index, 0, cell.block ? cell.block->launch_seconds : 0);
        TRY(journal_.cell(cell));
        continue;
      }
      const double start = options_.elapsed();
      if (!TRY(verify_in_unit(*planned, planned_cell, references, options_, true, report_))) return {};
      verification_seconds_[cell.implementation] = options_.elapsed() - start;
      TRY(profile(*planned, planned_cell, cell));
      TRY(seek_target(*planned, planned_cell, cell));
      TRY(journal_.cell(cell));
      time_needed_.verified(planned_cell.index, options_.elapsed() - start,
                            cell.block ? cell.block->launch_seconds : 0);
    }
    verifying_seconds_ += options_.elapsed() - scenario_start;
    warn_of_short_budget();
  }
  return {};
}

Status Preparation::repeat_profiles(const std::vector<PlannedScenario*>& scenarios) {
  const auto launches = static_cast<std::size_t>(options_.launches);
  const std::size_t most = launches > 0 ? std::min(kMaxProfiles, launches) : kMaxProfiles;
  for (std::size_t count = 2; count <= most; ++count) {
    const double start = options_.elapsed();
    const double left = kProfileShareOfBudget * options_.budget_seconds - repeating_seconds_;
    if (options_.launches == 0 && (profiling_seconds_ > left || no_time_to_profile(nullptr))) break;
    for (PlannedScenario* planned : scenarios) {
      for (const PlannedCell& planned_cell : planned->cells) {
        report::Cell& cell = report_.cells[planned_cell.index];
        if (options_.cancelled()) return {};
        if (count_profiles(cell) != count - 1 || profiled_in_launch(planned_cell)) continue;
        TRY(planned->acquire());
        options_.progress({"profile " + cell.id, share_done(), seconds_left()});
        const double profile_start = options_.elapsed();
        TRY(profile(*planned, planned_cell, cell));
        time_needed_.profiled(planned_cell.index, options_.elapsed() - profile_start);
        TRY(journal_.cell(cell));
      }
    }
    repeating_seconds_ += options_.elapsed() - start;
  }
  return {};
}

double Preparation::share_done() const {
  return options_.elapsed() / std::max(options_.elapsed() + seconds_left(), 1e-9);
}

double Preparation::seconds_left() const {
  const double least = time_needed_.rest(std::max(1, options_.launches)) + options_.reserved_seconds;
  if (options_.launches > 0) return least;
  const double left = std::max(0.0, options_.budget_seconds - options_.elapsed());
  return options_.goals.empty() ? std::max(left, least) : left;
}

bool Preparation::is_to_verify(const PlannedCell& planned_cell) const {
  return report_.cells[planned_cell.index].status.state == CellState::pending && goals_.wants(planned_cell.index);
}

bool Preparation::has_more_to_verify(const PlannedScenario& planned) const {
  return std::ranges::any_of(planned.cells, [this](const PlannedCell& cell) { return is_to_verify(cell); }) &&
         !no_time_to_verify(planned);
}

// Where not even one goal fits. Goes by what the latest cell of each implementation took; what is cheap is always
// verified.
bool Preparation::no_time_to_verify(const PlannedScenario& planned) const {
  if (!goals_.is_too_much()) return false;
  double expected = 0;
  for (const PlannedCell& planned_cell : planned.cells) {
    if (!is_to_verify(planned_cell)) continue;
    const auto known = verification_seconds_.find(report_.cells[planned_cell.index].implementation);
    if (known != verification_seconds_.end()) expected += known->second;
  }
  return expected > kCheapShareOfBudget * options_.budget_seconds &&
         verifying_seconds_ + expected > kVerificationShareOfBudget * options_.budget_seconds;
}

// Once, as soon as it is known: what the run does at the least takes longer than it was given.
void Preparation::warn_of_short_budget() {
  constexpr double kTolerance = 1.1;
  const double least = options_.elapsed() + time_needed_.rest() + options_.reserved_seconds;
  if (warned_ || options_.launches > 0 || !options_.goals.empty() || least <= kTolerance * options_.budget_seconds)
    return;
  warned_ = true;
  options_.warn(
      formatted("the budget of %.3g s is too short for %zu cells: to verify and launch each once takes about "
                "%d0 s in all, which this run will take",
                options_.budget_seconds, report_.cells.size(), 1 + static_cast<int>(least / 10)));
}

// An A/A control is the very cell that was verified just before it: it gets its status and its block.
bool Preparation::repeats_verified_cell(const PlannedScenario& planned, const PlannedCell& planned_cell) {
  report::Cell& cell = report_.cells[planned_cell.index];
  if (cell.arm != report::kControlArm) return false;
  const auto twin = std::find_if(planned.cells.begin(), planned.cells.end(),
                                 [&](const PlannedCell& other) { return other.unit == planned_cell.unit; });
  const report::Cell& verified = report_.cells[twin->index];
  cell.status = verified.status;
  cell.verification = verified.verification;
  cell.block = verified.block;
  cell.runtime = verified.runtime;
  return true;
}

bool Preparation::no_time_to_profile(const PlannedScenario* under_way) const {
  return options_.launches == 0 && options_.elapsed() + time_needed_.rest(1, under_way) > deadline();
}

// Before any launch, so that no timed block meets it, in a process of its own, where allocations are counted. What
// goes wrong here is the profile's loss, not the cell's. Who cannot count them is profiled at the end of its first
// launches instead: a framework takes seconds to start.
Status Preparation::profile(const PlannedScenario& planned, const PlannedCell& planned_cell, report::Cell& cell) {
  if (cell.status.state != CellState::ok || !options_.profiles) return {};
  if (profiled_in_launch(planned_cell)) return {};
  if (no_time_to_profile(&planned)) return note_once("no time was left for some profiles");
  const double start = options_.elapsed();
  Result<report::Profile> profile = profile_verified_cell(planned, planned_cell, options_, kBlocksOfAGlance, cell);
  if (!cell.profile) profiling_seconds_ += options_.elapsed() - start;
  if (profile.ok()) {
    add_profile(std::move(profile).value(), cell);
    return {};
  }
  if (options_.cancelled()) return {};
  return note_once(note_on_profile(cell, profile.error()));
}

// The second measure of a scenario with a target. A training that fails is a note, as a profile is.
Status Preparation::seek_target(const PlannedScenario& planned, const PlannedCell& planned_cell, report::Cell& cell) {
  if (!planned.scenario.target) return {};
  const double start = options_.elapsed();
  Status status;
  if (cell.status.state == CellState::ok && planned_cell.proof != Proof::none && !options_.cancelled()) {
    options_.progress({"train to target " + cell.id, share_done(), seconds_left()});
    Result<report::TargetRun> run = run_to_target(planned, planned_cell, options_, target_time_.next_share(), cell);
    if (run.ok()) {
      cell.target = std::move(run).value();
    } else if (!options_.cancelled()) {
      status = note_once(cell.id + " has no time to target: " + run.error().message);
    }
  }
  target_time_.spend(options_.elapsed() - start);
  return status;
}

}  // namespace gdbench::measure
