#include "harness/measure/profile_cell.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "harness/measure/cell_worker.h"
#include "harness/measure/verify_cell.h"
#include "harness/stats/estimate.h"

namespace gdbench::measure {

namespace {

// Odd, so that one block is the median.
constexpr int kBlocksOfAProfile = 7;

struct ProfiledBlock {
  double step_ns = 0;
  std::vector<report::ProfileRecord> records = {};
  std::optional<double> dispatches = {};
  std::vector<report::FloorPart> floor = {};
};

report::ProfileRecord per_step(const protocol::OpTotals& op, std::uint64_t steps) {
  report::ProfileRecord record{.phase = op.phase, .op = op.op, .clock = op.clock};
  const double factor = record.once() ? 1 : 1 / static_cast<double>(steps);
  record.calls = op.calls * factor;
  record.time_ns = op.time_ns * factor;
  record.flops = op.flops * factor;
  record.bytes = op.bytes * factor;
  record.allocations = op.allocations * factor;
  if (!op.layers.empty()) record.layers = op.layers;
  if (op.parameters.empty()) return record;
  record.parameters = op.parameters;
  record.use = op.use.value_or(report::ParameterUse::reads);
  return record;
}

Result<ProfiledBlock> run_profiled(CellWorker& worker, std::uint64_t steps) {
  TRY(worker.set_start_state());
  const protocol::ProfileAnswer answer = TRY(worker.client().profile(steps));
  ProfiledBlock block{.step_ns = answer.real_ns / static_cast<double>(steps), .dispatches = answer.dispatches};
  for (const protocol::OpTotals& op : answer.records) block.records.push_back(per_step(op, steps));
  for (const protocol::FloorCall& call : answer.floor) block.floor.push_back({call.op, call.time_ns});
  return block;
}

void add_allocations(const std::optional<protocol::AllocationTotals>& block,
                     const std::optional<protocol::AllocationTotals>& preparation, report::Profile& profile) {
  if (block) {
    const auto steps = static_cast<double>(profile.steps);
    profile.allocations_per_step = static_cast<double>(block->calls) / steps;
    profile.allocated_bytes_per_step = static_cast<double>(block->bytes) / steps;
  }
  if (preparation) profile.prepared_bytes = static_cast<std::int64_t>(preparation->bytes);
}

// By the framework's own profiler, in the process that was profiled before. What it cannot say is a line of the
// profile.
Status add_ops(CellWorker& worker, report::Profile& profile) {
  constexpr double kMostSteps = 30;
  constexpr double kMaxNs = 100e6;
  const auto steps = static_cast<std::uint64_t>(std::clamp(kMaxNs / std::max(profile.step_ns, 1.0), 1.0, kMostSteps));
  TRY(worker.set_start_state());
  const Result<protocol::ProfileOpsAnswer> answer = worker.client().profile_ops(steps);
  if (!answer.ok()) {
    const ErrorKind kind = answer.error().kind;
    const bool goes_on = kind == ErrorKind::failed && worker.client().process().running();
    if (kind != ErrorKind::unsupported && !goes_on) return answer.error();
    profile.no_ops = answer.error().message;
    return {};
  }
  report::FrameworkOps& ops = profile.ops.emplace();
  ops.profiler = answer->profiler;
  ops.steps = steps;
  ops.step_ns = answer->real_ns / static_cast<double>(steps);
  for (const protocol::OpTotals& op : answer->records) ops.records.push_back(per_step(op, steps));
  return {};
}

// As many as in a timed block; where those are few, up to eight within 20 ms, for a single step is easily disturbed.
Result<std::uint64_t> steps_of_profile(CellWorker& worker, const report::Block& block) {
  constexpr std::uint64_t kFew = 8;
  constexpr double kMaxNs = 20e6;
  if (block.steps >= kFew) return block.steps;
  const protocol::BlockAnswer timed = TRY(worker.run_block(block.steps, block.warm_up_steps));
  const double step_ns = std::max(timed.real_ns, 1.0) / static_cast<double>(block.steps);
  return std::clamp(static_cast<std::uint64_t>(kMaxNs / step_ns), block.steps, kFew);
}

}  // namespace

Result<report::Profile> profile_verified_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                              const RunOptions& options, int blocks, const report::Cell& cell) {
  report::Launch launch;
  CellWorker worker = TRY(CellWorker::start(planned, planned_cell, timed_problem(planned, planned_cell, *cell.block),
                                            options.limits, launch, {.count_allocations = true}));
  const protocol::BlockAnswer first = TRY(worker.run_block(1, 0));
  launch.first_step_ns = first.real_ns;
  Result<report::Profile> profile = profile_worker(worker, planned, launch, blocks, cell);
  if (!profile.ok()) return profile;
  TRY(worker.client().bye());
  return profile;
}

Result<report::Profile> profile_worker(CellWorker& worker, const PlannedScenario& planned, const report::Launch& launch,
                                       int blocks, const report::Cell& cell) {
  const std::uint64_t steps = TRY(steps_of_profile(worker, *cell.block));
  std::vector<double> unprofiled;
  std::vector<ProfiledBlock> profiled;
  std::optional<protocol::AllocationTotals> allocated;
  for (int i = 0; i < blocks; ++i) {
    const protocol::BlockAnswer plain = TRY(worker.run_block(steps, cell.block->warm_up_steps));
    unprofiled.push_back(plain.real_ns / static_cast<double>(steps));
    allocated = plain.allocations;  // of the last block: by then whatever is kept was allocated before
    profiled.push_back(TRY(run_profiled(worker, steps)));
  }

  const auto middle = profiled.begin() + blocks / 2;
  std::nth_element(profiled.begin(), middle, profiled.end(),
                   [](const ProfiledBlock& a, const ProfiledBlock& b) { return a.step_ns < b.step_ns; });
  report::Profile profile;
  profile.cell = cell.id;
  profile.scenario = planned.scenario.name;
  profile.implementation = cell.implementation;
  profile.steps = steps;
  profile.step_ns = stats::median(unprofiled);
  profile.profiled_step_ns = middle->step_ns;
  profile.load_seconds = launch.load_seconds;
  profile.prepare_seconds = launch.prepare_seconds;
  profile.first_step_ns = launch.first_step_ns;
  add_allocations(allocated, worker.client().preparation().allocations, profile);
  profile.dispatches_per_step = middle->dispatches;
  if (!middle->floor.empty()) profile.floor = std::move(middle->floor);
  profile.records = std::move(middle->records);
  std::stable_sort(
      profile.records.begin(), profile.records.end(),
      [](const report::ProfileRecord& a, const report::ProfileRecord& b) { return a.time_ns > b.time_ns; });
  // Of a framework, which is what has something to import.
  if (worker.client().preparation().import_ns && !cell.profile) TRY(add_ops(worker, profile));
  return profile;
}

std::size_t count_profiles(const report::Cell& cell) {
  return (cell.profile ? 1 : 0) + (cell.other_profiles ? cell.other_profiles->size() : 0);
}

void add_profile(report::Profile profile, report::Cell& cell) {
  if (!cell.profile) {
    cell.profile = std::move(profile);
    return;
  }
  if (profile.step_ns < cell.profile->step_ns) {
    std::swap(profile, *cell.profile);
    std::swap(profile.ops, cell.profile->ops);
    std::swap(profile.no_ops, cell.profile->no_ops);
  }
  std::erase_if(profile.records, [](const report::ProfileRecord& record) { return record.once(); });
  if (!cell.other_profiles) cell.other_profiles.emplace();
  cell.other_profiles->push_back(std::move(profile));
}

std::string note_on_profile(const report::Cell& cell, const Error& error) {
  if (error.kind == ErrorKind::unsupported) return cell.implementation + " offers no profile";
  return cell.id + " has no profile: " + error.message;
}

Status profile_cells(const std::vector<std::size_t>& cells, Plan& plan, const RunOptions& options,
                     report::Report& report, report::Journal& journal) {
  constexpr std::size_t kEnough = 3;  // to tell how they scatter
  for (std::size_t count = 1; count <= kEnough; ++count) {
    for (PlannedScenario* const planned : plan.all()) {
      for (const PlannedCell& planned_cell : planned->cells) {
        report::Cell& cell = report.cells[planned_cell.index];
        const bool is_wanted = std::ranges::find(cells, planned_cell.index) != cells.end();
        if (!is_wanted || count_profiles(cell) != count - 1) continue;
        if (options.cancelled()) return {};
        if (options.elapsed() > options.budget_seconds) {
          if (count == 1) report.add_notes({"no time was left for some profiles"});
          return {};
        }
        TRY(planned->acquire());
        options.progress({"profile " + cell.id, 1, -1});
        Result<report::Profile> profile =
            profile_verified_cell(*planned, planned_cell, options, kBlocksOfAGlance, cell);
        if (profile.ok()) {
          add_profile(std::move(profile).value(), cell);
        } else if (!options.cancelled()) {
          report.add_notes({note_on_profile(cell, profile.error())});
        }
        TRY(journal.cell(cell));
      }
      planned->release();
    }
  }
  return {};
}

Result<report::Profile> profile_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                     const RunOptions& options, report::Cell& cell) {
  ReferenceTrajectories references(planned, options);
  TRY(references.status());
  TRY(verify_cell(planned, planned_cell, references, options, true, cell));
  if (cell.status.state != report::CellState::ok) {
    return usage_error(cell.id + " is not profiled, it is " + report::name_of(cell.status.state) + ": " +
                       cell.status.reason);
  }
  return profile_verified_cell(planned, planned_cell, options, kBlocksOfAProfile, cell);
}

}  // namespace gdbench::measure
