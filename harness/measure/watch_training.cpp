#include "harness/measure/watch_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/control_word.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/reference_trajectories.h"
#include "harness/verify/reference.h"

namespace gdbench::measure {

namespace {

constexpr std::int64_t kBlocks = 200;
constexpr std::int64_t kFewestBlocks = 30;  // where steps are so short that 200 blocks were shorter than those of `run`
constexpr std::int64_t kLooks = 40;
constexpr double kLookShare = 0.25;  // of the time of the blocks between two looks

double passed_ns(std::int64_t since_ns) { return static_cast<double>(monotonic_ns() - since_ns); }

struct Participant {
  CellWorker worker;
  std::uint64_t quick_steps = 1;  // of a block as `run` times it
  std::uint64_t lead_steps = 0;   // untimed ones before it, while caches forget who was there before
};

Result<Participant> start(const CellGroup& group, std::size_t index, const protocol::Limits& limits,
                          bool counts_allocations) {
  const PlannedScenario& planned = group.scenario();
  const PlannedCell& cell = planned.cells[index];
  report::Launch launch;
  CellWorker worker = TRY(CellWorker::start(planned, cell, trained_problem(planned, cell), limits, launch,
                                            {.count_allocations = counts_allocations}));
  const report::Block& block = *group.report().cells[cell.index].block;
  return Participant{std::move(worker), block.steps, block.warm_up_steps};
}

class WatchedTraining {
 public:
  WatchedTraining(const PlannedScenario& planned, Participant watched, std::optional<Participant> control,
                  report::Watched& record)
      : planned_(planned), watched_(std::move(watched)), control_(std::move(control)), record_(record) {}

  // The first step, and a block as long as those of `run`.
  Status warm_up() {
    TRY(watched_.worker.set_start_state());
    record_.first_step_ns = TRY(watched_.worker.client().run_on(1)).real_ns;
    const auto steps = static_cast<std::int64_t>(watched_.quick_steps);
    TRY(watched_.worker.client().run_on(watched_.quick_steps));
    record_.warm_up_steps = 1 + steps;
    return {};
  }

  std::int64_t quick_steps() const { return static_cast<std::int64_t>(watched_.quick_steps); }

  // One block of both, of the watched one after its lead, which is no longer than the block; together they make at most
  // `left` steps. Behind every `look_every` blocks a look.
  Status take(std::int64_t steps, std::int64_t left) {
    const std::int64_t lead = std::min({static_cast<std::int64_t>(watched_.lead_steps), steps, left - 1});
    report::WatchedBlock block{.first = record_.steps() + lead, .steps = std::min(steps, left - lead)};
    const std::int64_t started_ns = monotonic_ns();
    if (control_) {
      const protocol::BlockAnswer answer = TRY(control_->worker.run_block(control_->quick_steps, control_->lead_steps));
      block.control_ns = answer.real_ns / static_cast<double>(control_->quick_steps);
    }
    protocol::Client& client = watched_.worker.client();
    std::uint64_t lead_traces = 0;
    if (lead > 0) lead_traces = TRY(client.run_on(static_cast<std::uint64_t>(lead))).traces.value_or(0);
    const protocol::BlockAnswer answer = TRY(client.run_on(static_cast<std::uint64_t>(block.steps)));
    block.step_ns = answer.real_ns / static_cast<double>(block.steps);
    block.waiting_ns = answer.waiting_ns;
    block.own_bytes = client.process().memory().anonymous;
    block.device_bytes = answer.device_bytes;
    if (answer.allocations) {
      block.allocations = static_cast<double>(answer.allocations->calls) / static_cast<double>(block.steps);
    }
    if (answer.traces) block.traces = static_cast<std::int64_t>(*answer.traces + lead_traces);
    const std::uint32_t word = answer.control_word.value_or(processor::kUsualControlWord);
    record_.flushes_to_zero = (word & (processor::kFlushToZero | processor::kDenormalsAreZero)) != 0;
    record_.blocks.push_back(block);
    since_look_ns_ += passed_ns(started_ns);
    return ++blocks_since_look_ < look_every_ ? Status() : look();
  }

  // A look behind the last block.
  Status finish() { return blocks_since_look_ > 0 ? look() : Status(); }

 private:
  // Into the last block.
  Status look() {
    const std::int64_t started_ns = monotonic_ns();
    report::WatchedBlock& block = record_.blocks.back();
    const Result<protocol::EvaluateAnswer> evaluated = watched_.worker.client().evaluate();
    if (!evaluated.ok() && evaluated.error().kind != ErrorKind::unsupported) return evaluated.error();
    if (evaluated.ok()) block.loss = evaluated->loss;
    const std::int64_t step = TRY(watched_.worker.client().get_state(kEndImage));
    const scenario::State state = watched_.worker.state(kEndImage, step);
    const scenario::Problem& problem = planned_.problem;
    std::vector<std::vector<double>> tensors = state.parameters;
    tensors.insert(tensors.end(), state.slots.begin(), state.slots.end());
    report::Subnormals& found = block.subnormals.emplace();
    found.state = verify::subnormal_share(problem.dtype, tensors);
    if (scenario::operations_per_step(problem) < verify::kAffordableOperations / 10) {
      const auto shares = verify::subnormal_shares(problem, *planned_.dataset, verify::to_reference<double>(state));
      found.activations = shares.activations;
      found.gradients = shares.gradients;
    }
    const double block_ns = since_look_ns_ / static_cast<double>(blocks_since_look_);
    look_every_ = std::max<std::int64_t>(kBlocks / kLooks, std::llround(passed_ns(started_ns) / kLookShare / block_ns));
    blocks_since_look_ = 0;
    since_look_ns_ = 0;
    return {};
  }

  const PlannedScenario& planned_;
  Participant watched_;
  std::optional<Participant> control_;
  report::Watched& record_;
  std::int64_t look_every_ = 1;  // blocks; the first look is behind the first of them
  std::int64_t blocks_since_look_ = 0;
  double since_look_ns_ = 0;
};

// Of the next block: as many as shall be, or in so much time, but hardly more than those of the last one: blocks are
// short at first, when most changes, and a step may take longer from here on.
std::int64_t next_steps(const WatchOptions& watch, const RunOptions& options, std::int64_t quick_steps,
                        const report::Watched& record) {
  if (watch.steps) {
    const std::int64_t quick = std::min(*watch.steps / kFewestBlocks, quick_steps);
    return std::max({std::int64_t{1}, *watch.steps / kBlocks, quick});
  }
  if (record.blocks.empty()) return quick_steps;
  const report::WatchedBlock& last = record.blocks.back();
  const double block_s = std::max(watch.seconds / kBlocks - options.block.seconds, options.block.seconds);
  return std::clamp<std::int64_t>(std::llround(block_s * 1e9 / last.step_ns), 1, last.steps + last.steps / 10 + 1);
}

}  // namespace

Result<report::Watched> watch_training(const CellGroup& group, const WatchOptions& watch, const RunOptions& options) {
  const PlannedScenario& planned = group.scenario();
  report::Watched record{.scenario = group.report().scenarios.front().label,
                         .implementation = group.report().cells.front().implementation};
  std::optional<Participant> control;
  if (planned.cells.size() > 1) {
    control = TRY(start(group, 1, options.limits, false));
    record.control = group.report().cells[1].implementation;
  }
  WatchedTraining training(planned, TRY(start(group, 0, options.limits, true)), std::move(control), record);
  TRY(training.warm_up());
  const auto part = [&] {
    return watch.steps ? static_cast<double>(record.steps()) / static_cast<double>(*watch.steps)
                       : options.elapsed() / watch.seconds;
  };
  while (part() < 1 && !options.cancelled()) {
    const std::int64_t left = watch.steps.value_or(std::numeric_limits<std::int64_t>::max()) - record.steps();
    const Status taken = training.take(next_steps(watch, options, training.quick_steps(), record), left);
    options.progress({.phase = "watch " + record.implementation, .fraction = std::min(1.0, part())});
    if (taken.ok() || options.cancelled()) continue;
    if (record.blocks.empty()) return taken.error();
    record.ended = taken.error().message;
    break;
  }
  if (options.cancelled()) record.ended = "interrupted";
  if (record.ended.empty()) {
    if (const Status looked = training.finish(); !looked.ok()) record.ended = looked.error().message;
  }
  return record;
}

}  // namespace gdbench::measure
