#include "harness/measure/session.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/measure/goals.h"
#include "harness/measure/profile_cell.h"
#include "harness/measure/scheduler.h"
#include "harness/measure/target_run.h"
#include "harness/measure/time_needed.h"
#include "harness/measure/trust.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::measure {

namespace {

using report::CellState;

// What verifying a scenario may take of a budget whose share for verification is spent.
constexpr double kCheapShareOfBudget = 0.005;

// What profiles beyond a cell's first may take of the budget: in a run of few cells enough for all that are kept, in
// one of a hundred none.
constexpr double kProfileShareOfBudget = 0.05;

// Scenarios that are launched together, while they are measured.
struct ActiveGroup {
  std::string name;
  std::vector<LiveCell> cells;
  int next_launch = 0;             // a killed run may have left others unfinished
  double preparation_seconds = 0;  // for its next launch
  Progress progress;
};

// Of planned scenarios, by any pointer.
template <class Scenarios>
std::size_t cell_count(const Scenarios& scenarios) {
  std::size_t count = 0;
  for (const auto& planned : scenarios) count += planned->cells.size();
  return count;
}

int finished_launches(const std::vector<LiveCell>& cells, const report::Report& report) {
  std::size_t least = cells.empty() ? 0 : std::numeric_limits<std::size_t>::max();
  for (const LiveCell& live : cells) least = std::min(least, report.cells[live.planned->index].launches.size());
  return static_cast<int>(least);
}

class Session {
 public:
  Session(const Plan& plan, const RunOptions& options, report::Report& report, report::Journal* journal)
      : options_(options),
        report_(report),
        journal_(journal),
        cells_of_run_(cell_count(plan.scenarios)),
        target_time_(plan, options.budget_seconds),
        time_needed_(plan, options, report),
        goals_(options, report, time_needed_) {
    if (journal != nullptr) warn_of_short_budget();
    goals_.choose();
  }

  // Verifies the cells of a batch. Without a journal nothing is calibrated: correctness only.
  Status verify(const std::vector<PlannedScenario*>& scenarios) {
    for (PlannedScenario* planned : scenarios) {
      if (planned->cells.empty()) continue;
      goals_.choose();
      if (no_time_to_verify(*planned)) continue;
      const double scenario_start = options_.elapsed();
      TRY(planned->acquire());
      if (all_known(*planned)) continue;  // from the journal of a run that goes on
      ReferenceTrajectories references(*planned, options_);
      TRY(references.status());
      time_needed_.referenced(*planned, options_.elapsed() - scenario_start);
      for (const PlannedCell& planned_cell : planned->cells) {
        report::Cell& cell = report_.cells[planned_cell.index];
        const double fraction = static_cast<double>(verified_++) / static_cast<double>(cells_of_run_);
        if (!is_to_verify(planned_cell)) continue;
        options_.progress({"verify " + cell.id, journal_ == nullptr ? fraction : share_done(), seconds_left()});
        if (repeats_verified_cell(*planned, planned_cell)) {
          time_needed_.verified(planned_cell.index, 0, cell.block ? cell.block->launch_seconds : 0);
          TRY(journal_->cell(cell));
          continue;
        }
        const double start = options_.elapsed();
        const bool judged =
            TRY(verify_in_unit(*planned, planned_cell, references, options_, journal_ != nullptr, report_));
        verification_seconds_[cell.implementation] = options_.elapsed() - start;
        if (!judged) return {};
        if (journal_ == nullptr) continue;
        TRY(profile(*planned, planned_cell, cell));
        TRY(seek_target(*planned, planned_cell, cell));
        TRY(journal_->cell(cell));
        time_needed_.verified(planned_cell.index, options_.elapsed() - start,
                              cell.block ? cell.block->launch_seconds : 0);
      }
      verifying_seconds_ += options_.elapsed() - scenario_start;
      if (journal_ != nullptr) warn_of_short_budget();
    }
    return {};
  }

  // Profiles every cell again, in turns over all of them, as often as it is launched where that is given and otherwise
  // as long as their part of the budget lasts; so that a slow spell is not that of one cell.
  Status repeat_profiles(const std::vector<PlannedScenario*>& scenarios) {
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
          TRY(journal_->cell(cell));
        }
      }
      repeating_seconds_ += options_.elapsed() - start;
    }
    return {};
  }

  // Launch after launch until every scenario is done or `deadline` seconds of the run have passed.
  Status measure(const std::vector<PlannedScenario*>& scenarios, double deadline) {
    const std::vector<std::vector<PlannedScenario*>> groups = launch_groups(scenarios);
    std::vector<ActiveGroup> active = activate(groups);
    while (!options_.cancelled()) {
      // What verifying shows may choose cells of scenarios that it has passed.
      if (goals_.choose() || std::ranges::any_of(scenarios, [this](const PlannedScenario* planned) {
            return !all_known(*planned) && !no_time_to_verify(*planned);
          })) {
        TRY(verify(scenarios));
        active = activate(groups);
      }
      std::vector<Progress> progress;
      for (const ActiveGroup& group : active) progress.push_back(group.progress);
      const std::vector<std::size_t> turn = next_launches(progress, options_, deadline - options_.elapsed());
      if (turn.empty()) break;
      for (const std::size_t i : turn) {
        if (options_.cancelled()) break;
        if (!has_time(active[i].progress, options_, deadline - options_.elapsed())) continue;
        TRY(launch(active[i]));
      }
    }
    TRY(leave_out(scenarios));
    return note_short_ones(scenarios);
  }

  // The end of the last launch, in seconds of the run.
  double deadline() const { return options_.budget_seconds - options_.reserved_seconds; }

 private:
  // Once, as soon as it is known: what the run does at the least takes longer than it was given.
  void warn_of_short_budget() {
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
  bool repeats_verified_cell(const PlannedScenario& planned, const PlannedCell& planned_cell) {
    report::Cell& cell = report_.cells[planned_cell.index];
    if (journal_ == nullptr || cell.arm != report::kControlArm) return false;
    const auto twin = std::find_if(planned.cells.begin(), planned.cells.end(),
                                   [&](const PlannedCell& other) { return other.unit == planned_cell.unit; });
    const report::Cell& verified = report_.cells[twin->index];
    cell.status = verified.status;
    cell.verification = verified.verification;
    cell.block = verified.block;
    cell.runtime = verified.runtime;
    return true;
  }

  bool all_known(const PlannedScenario& planned) const {
    return std::none_of(planned.cells.begin(), planned.cells.end(),
                        [this](const PlannedCell& planned_cell) { return is_to_verify(planned_cell); });
  }

  bool is_to_verify(const PlannedCell& planned_cell) const {
    return report_.cells[planned_cell.index].status.state == CellState::pending && goals_.wants(planned_cell.index);
  }

  double share_done() const { return options_.elapsed() / std::max(options_.elapsed() + seconds_left(), 1e-9); }
  double seconds_left() const {
    const double least = time_needed_.rest(std::max(1, options_.launches)) + options_.reserved_seconds;
    if (options_.launches > 0) return least;
    const double left = std::max(0.0, options_.budget_seconds - options_.elapsed());
    return options_.goals.empty() ? std::max(left, least) : left;
  }

  // Where not even one goal fits. Goes by what the latest cell of each implementation took; what is cheap is always
  // verified.
  bool no_time_to_verify(const PlannedScenario& planned) const {
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

  bool no_time_to_profile(const PlannedScenario* under_way) const {
    return options_.launches == 0 && options_.elapsed() + time_needed_.rest(1, under_way) > deadline();
  }

  // Cells of goals that were not chosen, whether they were verified or not.
  Status leave_out(const std::vector<PlannedScenario*>& scenarios) {
    if (options_.goals.empty() || options_.cancelled()) return {};
    for (const PlannedScenario* planned : scenarios) {
      for (const PlannedCell& planned_cell : planned->cells) {
        report::Cell& cell = report_.cells[planned_cell.index];
        const bool is_left_out =
            cell.status.state == CellState::pending || (cell.status.state == CellState::ok && cell.launches.empty());
        if (!is_left_out) continue;
        cell.status.state = CellState::pending;
        cell.status.reason = goals_.reason_without(planned_cell.index);
        TRY(journal_->cell(cell));
      }
    }
    return {};
  }

  // Before any launch, so that no timed block meets it, in a process of its own, where allocations are counted. What
  // goes wrong here is the profile's loss, not the cell's. Who cannot count them is profiled at the end of its first
  // launches instead: a framework takes seconds to start.
  Status profile(const PlannedScenario& planned, const PlannedCell& planned_cell, report::Cell& cell) {
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
  Status seek_target(const PlannedScenario& planned, const PlannedCell& planned_cell, report::Cell& cell) {
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

  Status note_once(const std::string& text) { return measure::note_once(text, report_, *journal_); }

  std::vector<ActiveGroup> activate(const std::vector<std::vector<PlannedScenario*>>& groups) {
    std::vector<ActiveGroup> active;
    for (const std::vector<PlannedScenario*>& scenarios : groups) {
      const double start = options_.elapsed();
      ActiveGroup group;
      group.name = scenarios.front()->scenario.name;
      group.cells = live_cells(scenarios, report_);
      std::erase_if(group.cells, [this](const LiveCell& cell) { return !goals_.launches(cell.planned->index); });
      for (LiveCell& cell : group.cells) cell.checked = launched_.contains(cell.planned->index);
      group.progress.live = !group.cells.empty();
      group.progress.launches = finished_launches(group.cells, report_);
      group.progress.precision = precision_of(group);
      group.next_launch = next_launch(group.cells, report_);
      group.preparation_seconds = options_.elapsed() - start;
      active.push_back(std::move(group));
    }
    return active;
  }

  Status note_short_ones(const std::vector<PlannedScenario*>& scenarios) {
    for (PlannedScenario* planned : scenarios) {
      const auto is_short_cell = [this](const PlannedCell& planned_cell) {
        const report::Cell& cell = report_.cells[planned_cell.index];
        return cell.status.state == CellState::ok &&
               is_short({.launches = static_cast<int>(cell.launches.size())}, options_);
      };
      short_scenarios_ += std::ranges::any_of(planned->cells, is_short_cell) ? 1U : 0U;
    }
    if (short_scenarios_ == 0 || options_.cancelled()) return {};
    return note_once("the budget was too short for " + std::to_string(options_.decisive_launches) + " launches of " +
                     std::to_string(short_scenarios_) + " of " + std::to_string(report_.scenarios.size()) +
                     " scenarios");
  }

  double precision_of(const ActiveGroup& group) const {
    double widest = 0;
    for (const LiveCell& cell : group.cells) {
      widest = std::max(widest, analysis::relative_precision(report_.cells[cell.planned->index]));
    }
    return widest;
  }

  Status launch(ActiveGroup& group) {
    const double start = options_.elapsed();
    options_.progress({"measure " + group.name + ", launch " + std::to_string(group.progress.launches + 1),
                       share_done(), seconds_left()});
    std::vector<std::size_t> indices;
    for (const LiveCell& cell : group.cells) indices.push_back(cell.planned->index);
    TRY(run_launch_group(group.cells, group.next_launch++, options_, report_, *journal_));
    time_needed_.launched(indices, options_.elapsed() - start + std::exchange(group.preparation_seconds, 0));
    launched_.insert(indices.begin(), indices.end());
    judge_by_ceilings(group);
    for (const std::size_t index : indices) {
      const report::Cell& cell = report_.cells[index];
      if (cell.status.state == CellState::ok) continue;
      TRY(journal_->cell(cell));
    }
    Progress& progress = group.progress;
    ++progress.launches;
    progress.live = !group.cells.empty();
    progress.launch_seconds = std::max(progress.launch_seconds, options_.elapsed() - start);
    progress.precision = precision_of(group);
    return {};
  }

  // Nothing is faster than its processor. Ceilings are measured anew before a cell is blamed: the processor's speed may
  // have changed since.
  void judge_by_ceilings(ActiveGroup& group) {
    std::vector<report::Cell*> suspects;
    for (const LiveCell& live : group.cells) {
      report::Cell& cell = report_.cells[live.planned->index];
      if (!untrusted_for_ceiling(report_, cell).empty()) suspects.push_back(&cell);
    }
    if (suspects.empty() || options_.cancelled()) return;
    options_.measure_ceilings(report_);
    for (report::Cell* cell : suspects) {
      const std::string reason = untrusted_for_ceiling(report_, *cell);
      if (!reason.empty()) cell->status = {CellState::untrusted, reason};
    }
    std::erase_if(group.cells, [this](const LiveCell& live) {
      return report_.cells[live.planned->index].status.state != CellState::ok;
    });
  }

  const RunOptions& options_;
  report::Report& report_;
  report::Journal* journal_;  // null: verification only
  std::size_t cells_of_run_;
  TargetTime target_time_;
  TimeNeeded time_needed_;
  Goals goals_;
  std::set<std::size_t> launched_;  // cells
  bool warned_ = false;             // of a budget that is too short
  std::size_t verified_ = 0;
  double verifying_seconds_ = 0;
  std::map<std::string, double> verification_seconds_;  // of an implementation's latest cell
  double profiling_seconds_ = 0;                        // of the first profile of every cell
  double repeating_seconds_ = 0;                        // of those after it
  std::size_t short_scenarios_ = 0;                     // that had fewer launches than decide anything
};

}  // namespace

std::vector<std::vector<PlannedScenario*>> batches(const Plan& plan, std::size_t data_cap_bytes) {
  std::vector<std::vector<PlannedScenario*>> result;
  HeldData held;
  for (const std::vector<PlannedScenario*>& group : launch_groups(plan.all())) {
    HeldData whole;
    for (const PlannedScenario* planned : group) whole.add({1, planned->data_bytes});
    bool begins = result.empty() || !held.has_room_for(whole, data_cap_bytes);
    for (PlannedScenario* planned : group) {
      const HeldData data{1, planned->data_bytes};
      if (std::exchange(begins, false) || !held.has_room_for(data, data_cap_bytes)) {
        result.emplace_back();
        held = {};
      }
      result.back().push_back(planned);
      held.add(data);
    }
  }
  return result;
}

Span expected_seconds(const Plan& plan, const RunOptions& options, const report::Report& report) {
  const TimeNeeded time(plan, options, report);
  const auto with = [&](const Span& rest) {
    return Span{rest.least + options.reserved_seconds, rest.most + options.reserved_seconds};
  };
  if (options.launches > 0) return with(time.rest_at_start(options.launches));
  Span span;
  span.least = span.most = options.budget_seconds - options.elapsed();
  if (options.max_launches > 0) {
    const Span most = with(time.rest_at_start(options.max_launches));
    span = {std::min(span.least, most.least), std::min(span.most, most.most)};
  }
  if (!options.goals.empty()) return span;
  const Span least = with(time.rest_at_start(1));
  return {std::max(span.least, least.least), std::max(span.most, least.most)};
}

Status verify_all(Plan& plan, const RunOptions& options, report::Report& report) {
  Session session(plan, options, report, nullptr);
  for (const auto& batch : batches(plan, 0)) {
    if (options.cancelled()) return {};
    TRY(session.verify(batch));
    for (PlannedScenario* planned : batch) planned->release();
  }
  return {};
}

Status run_session(Plan& plan, const RunOptions& options, report::Report& report, report::Journal& journal) {
  Session session(plan, options, report, &journal);
  const std::size_t cells = cell_count(plan.scenarios);
  std::size_t cells_done = 0;
  for (const auto& batch : batches(plan, options.data_cap_bytes)) {
    if (options.cancelled()) return {};
    TRY(session.verify(batch));
    TRY(session.repeat_profiles(batch));
    cells_done += cell_count(batch);
    // A batch gets the share of the budget that its cells are of all cells.
    const double share = static_cast<double>(cells_done) / static_cast<double>(std::max<std::size_t>(cells, 1));
    TRY(session.measure(batch, session.deadline() * share));
    for (PlannedScenario* planned : batch) planned->release();
  }
  return {};
}

}  // namespace gdbench::measure
