#include "harness/measure/session.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "harness/measure/launch_group.h"
#include "harness/measure/preparation.h"
#include "harness/measure/scheduler.h"
#include "harness/measure/trust.h"

namespace gdbench::measure {

namespace {

using report::CellState;

// Scenarios that are launched together, while they are measured.
struct ActiveGroup {
  std::string name;
  std::vector<LiveCell> cells;
  int next_launch = 0;             // a killed run may have left others unfinished
  double preparation_seconds = 0;  // for its next launch
  std::set<std::size_t> resting;   // units that need no more launches
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

std::vector<std::size_t> indices_of(const std::vector<LiveCell>& cells) {
  std::vector<std::size_t> indices;
  for (const LiveCell& cell : cells) indices.push_back(cell.planned->index);
  return indices;
}

class Session : public Preparation {
 public:
  using Preparation::Preparation;

  // Launch after launch until every scenario is done or `deadline` seconds of the run have passed.
  Status measure(const std::vector<PlannedScenario*>& scenarios, double deadline) {
    const std::vector<std::vector<PlannedScenario*>> groups = launch_groups(scenarios);
    std::vector<ActiveGroup> active = activate(groups);
    while (!options_.cancelled()) {
      // What verifying shows may choose cells of scenarios that it has passed.
      if (goals_.choose() || std::ranges::any_of(scenarios, [this](const PlannedScenario* planned) {
            return has_more_to_verify(*planned);
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
        TRY(launch(active[i], decided_words(active)));
      }
    }
    TRY(leave_out(scenarios));
    return note_short_ones(scenarios);
  }

  // As many launches again of the cells of `units`, until `end` in seconds of the run; one at least.
  Status confirm(const std::vector<PlannedScenario*>& scenarios, const std::set<std::size_t>& units, double end) {
    for (PlannedScenario* planned : scenarios) TRY(planned->acquire());
    ActiveGroup group = activate({scenarios}).front();
    std::erase_if(group.cells, [&](const LiveCell& cell) { return !units.contains(cell.planned->unit); });
    const int first = group.next_launch;
    for (const LiveCell& cell : group.cells) {
      report::Cell& confirmed = report_.cells[cell.planned->index];
      confirmed.confirmed_from = first;
      TRY(journal_.cell(confirmed));
    }
    while (group.next_launch < 2 * first && !options_.cancelled()) {
      const bool is_over = options_.launches == 0 && options_.elapsed() + group.progress.launch_seconds > end;
      if (is_over && group.next_launch > first) break;
      TRY(launch(group, ""));
    }
    for (PlannedScenario* planned : scenarios) planned->release();
    return {};
  }

 private:
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
        TRY(journal_.cell(cell));
      }
    }
    return {};
  }

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

  // "; decided: 2 of 7"; empty where none is yet.
  static std::string decided_words(const std::vector<ActiveGroup>& groups) {
    const auto decided = std::ranges::count_if(groups, [](const auto& group) { return group.progress.decided; });
    return decided == 0 ? "" : cat("; decided: ", decided, " of ", groups.size());
  }

  Status launch(ActiveGroup& group, const std::string& decided) {
    const double start = options_.elapsed();
    options_.progress(
        {cat("measure ", group.name, ", launch ", group.progress.launches + 1, decided), share_done(), seconds_left()});
    const auto is_resting = [&](const LiveCell& cell) { return group.resting.contains(cell.planned->unit); };
    std::vector<LiveCell> resting;
    std::ranges::copy_if(group.cells, std::back_inserter(resting), is_resting);
    std::erase_if(group.cells, is_resting);
    const std::vector<std::size_t> indices = indices_of(group.cells);
    TRY(run_launch_group(group.cells, group.next_launch++, options_, report_, journal_));
    time_needed_.launched(indices, options_.elapsed() - start + std::exchange(group.preparation_seconds, 0));
    launched_.insert(indices.begin(), indices.end());
    judge_by_ceilings(group);
    for (const std::size_t index : indices) {
      const report::Cell& cell = report_.cells[index];
      if (cell.status.state == CellState::ok) continue;
      TRY(journal_.cell(cell));
    }
    std::ranges::move(resting, std::back_inserter(group.cells));
    std::ranges::sort(group.cells, {},
                      [](const LiveCell& cell) { return std::pair(cell.planned->variants, cell.planned->index); });
    Progress& progress = group.progress;
    ++progress.launches;
    progress.live = !group.cells.empty();
    progress.launch_seconds = std::max(progress.launch_seconds, options_.elapsed() - start);
    progress.precision = precision_of(group);
    let_rest(group);
    return {};
  }

  // Arms of a cell rest together. What is judged with others may be open again after their launches.
  void let_rest(ActiveGroup& group) {
    const std::vector<std::size_t> open = options_.open_cells(report_, indices_of(group.cells));
    group.resting.clear();
    for (const LiveCell& cell : group.cells) group.resting.insert(cell.planned->unit);
    for (const LiveCell& cell : group.cells) {
      if (std::ranges::find(open, cell.planned->index) != open.end()) group.resting.erase(cell.planned->unit);
    }
    group.progress.decided = open.empty();
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

  std::set<std::size_t> launched_;   // cells
  std::size_t short_scenarios_ = 0;  // that had fewer launches than decide anything
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

Status run_session(Plan& plan, const RunOptions& options, report::Report& report, report::Journal& journal) {
  Session session(plan, options, report, journal);
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

Status confirm(Plan& plan, const std::set<std::size_t>& units, const RunOptions& options, report::Report& report,
               report::Journal& journal) {
  std::vector<std::vector<PlannedScenario*>> groups = launch_groups(plan.all());
  for (std::vector<PlannedScenario*>& scenarios : groups) {
    std::erase_if(scenarios, [&](const PlannedScenario* planned) {
      return std::ranges::none_of(planned->cells, [&](const auto& cell) { return units.contains(cell.unit); });
    });
  }
  std::erase_if(groups, [](const std::vector<PlannedScenario*>& scenarios) { return scenarios.empty(); });
  Session session(plan, options, report, journal);
  std::size_t left = groups.size();
  for (const std::vector<PlannedScenario*>& scenarios : groups) {
    // Scenarios share what is left of the budget evenly: none is confirmed at the price of another.
    const double rest = session.deadline() - options.elapsed();
    TRY(session.confirm(scenarios, units, options.elapsed() + rest / static_cast<double>(left--)));
  }
  return {};
}

}  // namespace gdbench::measure
