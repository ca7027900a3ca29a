#include "harness/measure/launch_group.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/shared_memory.h"
#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/launch_ceilings.h"
#include "harness/measure/measured_worker.h"
#include "harness/measure/profile_cell.h"
#include "harness/measure/scheduler.h"
#include "harness/measure/verify_cell.h"

namespace gdbench::measure {

namespace {

using report::CellState;

struct Member {
  LiveCell* live = nullptr;
  std::optional<MeasuredWorker> worker;  // from its first step on
  report::Launch launch;
  std::int64_t started_ns = 0;
  bool failed = false;
};

class LaunchGroup {
 public:
  LaunchGroup(std::vector<LiveCell>& cells, int launch, const RunOptions& options, report::Report& report,
              report::Journal& journal)
      : cells_(cells),
        launch_(launch),
        options_(options),
        report_(report),
        journal_(journal),
        ceilings_(cells, launch, options, report, journal) {
    for (LiveCell& cell : cells_) starting_order_.push_back(&cell);
    if (launch % 2 == 1) std::reverse(starting_order_.begin(), starting_order_.end());
  }

  Status run() {
    Status status;
    for (std::size_t next = 0; next < starting_order_.size() && status.ok() && !options_.cancelled();) {
      status = start_from(next);
      if (status.ok()) status = run_started();
      members_.clear();
    }
    if (status.ok()) status = ceilings_.finish();
    std::erase_if(cells_, [&](const LiveCell& cell) { return cell_of(cell).status.state != CellState::ok; });
    return status;
  }

 private:
  report::Cell& cell_of(const LiveCell& live) { return report_.cells[live.planned->index]; }

  // A worker that was stopped by us did nothing wrong.
  void fail(const LiveCell& live, const Error& error) {
    if (!options_.cancelled()) cell_of(live).status = status_of(error);
  }

  Status run_started() {
    // The first round is cold: caches, page tables and predictors of fresh processes.
    for (int round = 0; round <= options_.rounds; ++round) {
      TRY(visit_all(round));
    }
    return finish_all();
  }

  // Starts the cells from `next` on, as many as the memory is for; the cells of a unit and those with other values of
  // --set stay together. Then `next` is the first one that was left. Errors: the system lets no worker be started.
  Status start_from(std::size_t& next) {
    for (const std::size_t first = next; next < starting_order_.size() && !options_.cancelled(); ++next) {
      LiveCell& live = *starting_order_[next];
      const bool may_wait = next > first && live.planned->variants != starting_order_[next - 1]->planned->variants;
      if (may_wait && !members_.empty() && available_memory_bytes() < options_.keep_free_bytes) {
        note_once("not all workers of a scenario fit into the memory together: some were measured after others");
        break;
      }
      TRY(start(live));
    }
    return {};
  }

  Status start(LiveCell& live) {
    Result<std::unique_ptr<Member>> member = started(live);
    if (member.ok()) {
      members_.push_back(std::move(member).value());
    } else if (member.error().kind == ErrorKind::exhausted) {
      return member.error();
    } else {
      fail(live, member.error());
    }
    return {};
  }

  // Errors: its worker failed.
  Result<std::unique_ptr<Member>> started(LiveCell& live) {
    auto member = std::make_unique<Member>();
    member->live = &live;
    member->launch.launch = launch_;
    member->started_ns = monotonic_ns();
    const scenario::Problem problem = timed_problem(*live.scenario, *live.planned, *cell_of(live).block);
    CellWorker worker = TRY(
        CellWorker::start(*live.scenario, *live.planned, problem, options_.limits, member->launch, {.settles = false}));
    const protocol::BlockAnswer first = TRY(worker.run_block(1, 0));
    member->launch.first_step_ns = first.real_ns;
    const std::optional<std::uint64_t> traces = worker.client().preparation().traces;
    if (traces) member->launch.traces = static_cast<std::int64_t>(*traces + first.traces.value_or(0));
    MeasuredWorker::Expectation expectation{problem, &*live.scenario->dataset, live.expected, live.expected_step};
    member->worker.emplace(
        std::move(worker), *live.planned, *cell_of(live).block, std::move(expectation), options_.rounds,
        !std::exchange(live.checked, true),
        options_.check_seed + live.planned->index + report_.cells.size() * static_cast<std::uint64_t>(launch_));
    TRY(member->worker->measure_overhead());
    return member;
  }

  Status visit_all(int round) {
    std::vector<std::size_t> units;
    for (const auto& member : members_) units.push_back(member->live->planned->unit);
    const std::vector<std::size_t> order = round_order(units, round, launch_, options_.seed);
    for (std::size_t position = 0; position < order.size(); ++position) {
      ceilings_.measure(round, position, order.size());
      if (options_.cancelled()) return {};
      Member& member = *members_[order[position]];
      Result<report::Sample> sample = visit(member, round, static_cast<int>(position));
      if (options_.cancelled()) return {};
      if (!sample.ok()) {
        fail(*member.live, sample.error());
        member.failed = true;
        continue;
      }
      report::Cell& cell = cell_of(*member.live);
      cell.samples.push_back(sample.value());
      TRY(journal_.sample(cell.id, sample.value()));
      if (cell.status.state != CellState::ok) member.failed = true;
    }
    std::erase_if(members_, [](const auto& member) { return member->failed; });
    return {};
  }

  // One block. A breach of trust marks the cell but keeps the sample.
  Result<report::Sample> visit(Member& member, int round, int position) {
    const MeasuredWorker::JudgedBlock block = TRY(member.worker->run_block(options_));
    // One that an interruption kept from being made again says nothing; its sample is not kept, either.
    if (!options_.cancelled()) distrust(*member.live, block.distrust);
    if (block.traces > 0) {  // no steady step; the row stays, and the reader knows
      note_first(cell_of(*member.live).id + " traced or compiled a function again inside a timed block: ",
                 cat(block.traces, " time(s)"));
    }
    if (member.live->planned->on_device()) note_device(member, round);
    report::Sample sample = block.sample;
    sample.launch = launch_;
    sample.round = round;
    sample.position = position;
    sample.cold = round == 0;
    return sample;
  }

  // Right behind a block, before the device takes its clocks back. What throttles it is no fault of the cell: the row
  // stays, the reader is told.
  void note_device(Member& member, int round) {
    if (round != 0 && round != options_.rounds) return;
    std::optional<report::DeviceState> state = options_.device_state();
    if (!state) return;
    if (!state->throttled_by.empty()) {
      note_first("the device was throttled while " + cell_of(*member.live).id + " was measured: ",
                 joined(state->throttled_by));
    }
    std::optional<report::DeviceStates>& states = member.launch.device;
    if (!states) states.emplace().first = *state;
    states->last = std::move(*state);
  }

  void distrust(const LiveCell& live, const std::string& reason) {
    report::Cell& cell = cell_of(live);
    if (!reason.empty() && cell.status.state == CellState::ok) cell.status = {CellState::untrusted, reason};
  }

  Status finish_checks(Member& member) {
    distrust(*member.live, TRY(member.worker->finish_checks()));
    return {};
  }

  static void note_memory(Member& member) {
    protocol::Client& client = member.worker->client();
    report::Launch& launch = member.launch;
    launch.peak_resident_bytes = client.process().peak_resident_bytes();
    const protocol::MemoryUse& peak = client.peak_memory();
    launch.peak_anonymous_bytes = peak.anonymous;
    launch.peak_shared_bytes = peak.shared;
    launch.peak_device_bytes = member.worker->device_bytes();
    const auto& stream = member.live->scenario->dataset->stream;
    if (stream) launch.cached_file_bytes = cached_bytes(stream->file().path);
  }

  // After everything that is timed, where no process of its own was started for it. What goes wrong is the profile's
  // loss: false where the worker cannot go on.
  bool profile(Member& member) {
    report::Cell& cell = cell_of(*member.live);
    const bool wanted = options_.profiles && profiled_in_launch(*member.live->planned);
    if (!wanted || count_profiles(cell) >= kMaxProfiles || cell.status.state != CellState::ok) return true;
    Result<report::Profile> profile =
        profile_worker(member.worker->worker(), *member.live->scenario, member.launch, kBlocksOfAGlance, cell);
    if (profile.ok()) {
      add_profile(std::move(profile).value(), cell);
      static_cast<void>(journal_.cell(cell));  // a full disk shows at the next record
      return true;
    }
    if (options_.cancelled()) return false;  // stopped by us
    note_once(note_on_profile(cell, profile.error()));
    return profile.error().kind == ErrorKind::unsupported;
  }

  // A note that begins so, unless there is one.
  void note_first(const std::string& begin, const std::string& rest) {
    const auto same = [&](const std::string& known) { return known.starts_with(begin); };
    if (std::ranges::any_of(report_.notes, same)) return;
    note_once(cat(begin, rest, "; first seen in launch ", launch_));
  }

  void note_once(const std::string& note) {
    // The report will have it; a full disk shows at the next sample.
    static_cast<void>(measure::note_once(note, report_, journal_));
  }

  Result<std::optional<report::ColdSteps>> time_cold_steps(Member& member) {
    machine::CeilingProbe other = TRY(other_work(*member.live, report_));
    return member.worker->time_cold_steps([&] { return other.measure(false, options_.cancelled); });
  }

  Status finish_all() {
    for (const std::unique_ptr<Member>& member : members_) {
      if (options_.cancelled()) return {};
      Status status = finish_checks(*member);
      note_memory(*member);
      if (const int repeated = member->worker->repeated_blocks(); repeated > 0) {
        member->launch.repeated_blocks = repeated;
      }
      member->launch.script = member->worker->script();
      if (status.ok() && options_.single_steps && cell_of(*member->live).status.state == CellState::ok) {
        const auto steps = member->worker->time_single_steps();
        if (steps.ok()) member->launch.single_steps = steps.value();
        if (!steps.ok()) status = steps.error();
      }
      if (status.ok() && options_.cold_steps && cell_of(*member->live).status.state == CellState::ok) {
        const auto steps = time_cold_steps(*member);
        if (steps.ok()) member->launch.cold_steps = steps.value();
        if (!steps.ok()) status = steps.error();
      }
      const bool profiled = !status.ok() || profile(*member);
      if (status.ok() && profiled) status = member->worker->client().bye();
      if (!status.ok()) fail(*member->live, status.error());
      member->launch.total_seconds = static_cast<double>(monotonic_ns() - member->started_ns) * 1e-9;
      report::Cell& cell = cell_of(*member->live);
      cell.launches.push_back(member->launch);
      TRY(journal_.launch(cell.id, member->launch));
    }
    return {};
  }

  std::vector<LiveCell>& cells_;
  // In turn from either end: of two equal processes the one that started first may be the slower one.
  std::vector<LiveCell*> starting_order_;
  int launch_;
  const RunOptions& options_;
  report::Report& report_;
  report::Journal& journal_;
  CeilingsOfLaunch ceilings_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace

int next_launch(const std::vector<LiveCell>& cells, const report::Report& report) {
  int next = 0;
  for (const LiveCell& live : cells) {
    const report::Cell& cell = report.cells[live.planned->index];
    for (const report::Launch& launch : cell.launches) next = std::max(next, launch.launch + 1);
    for (const report::Sample& sample : cell.samples) next = std::max(next, sample.launch + 1);
  }
  return next;
}

Status note_once(const std::string& note, report::Report& report, report::Journal& journal) {
  if (std::find(report.notes.begin(), report.notes.end(), note) != report.notes.end()) return {};
  report.notes.push_back(note);
  return journal.note(note);
}

std::vector<LiveCell> live_cells(const PlannedScenario& planned, const report::Report& report) {
  std::vector<LiveCell> cells;
  // By what the reference depends on: cells of one unit share it.
  using Key = std::tuple<std::uint64_t, double, bool, catalogue::ParameterRounding, catalogue::EpsilonPlace>;
  std::map<Key, std::optional<ExpectedDisplacement>> known;
  const auto expected = [&](const scenario::Problem& problem, double learning_rate, std::uint64_t steps) {
    const bool rounds = problem.tf32_products || problem.rounds_results;
    const auto [entry, is_new] = known.try_emplace(
        Key{steps, learning_rate, rounds, problem.parameter_rounding, problem.optimizer.epsilon_place});
    if (is_new) entry->second = expected_displacement(problem, *planned.dataset, planned.start, steps);
    return entry->second;
  };
  for (const PlannedCell& planned_cell : planned.cells) {
    const report::Cell& cell = report.cells[planned_cell.index];
    if (cell.status.state != CellState::ok) continue;
    LiveCell live;
    live.scenario = &planned;
    live.planned = &planned_cell;
    if (planned_cell.proof == Proof::trajectory) {
      const scenario::Problem problem = timed_problem(planned, planned_cell, *cell.block);
      live.expected = expected(problem, cell.block->learning_rate, cell.block->steps);
      if (!live.expected) live.expected_step = expected(problem, cell.block->learning_rate, 1);
    }
    cells.push_back(std::move(live));
  }
  return cells;
}

std::vector<LiveCell> live_cells(const std::vector<PlannedScenario*>& scenarios, const report::Report& report) {
  std::vector<LiveCell> cells;
  for (const PlannedScenario* planned : scenarios)
    std::ranges::move(live_cells(*planned, report), std::back_inserter(cells));
  if (scenarios.size() > 1)
    std::ranges::stable_sort(cells, {}, [](const LiveCell& live) { return live.planned->variants; });
  return cells;
}

Status run_launch_group(std::vector<LiveCell>& cells, int launch, const RunOptions& options, report::Report& report,
                        report::Journal& journal) {
  return LaunchGroup(cells, launch, options, report, journal).run();
}

}  // namespace gdbench::measure
