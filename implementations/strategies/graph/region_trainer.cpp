#include "implementations/strategies/graph/region_trainer.h"

#include <algorithm>
#include <string>

#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/region.h"

namespace gdbench::strategies::graph {

namespace {

// RegionCall's buffers.
constexpr std::size_t kX = 0;
constexpr std::size_t kTargets = 1;
constexpr std::size_t kScalars = 3;

}  // namespace

void RegionTrainer::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  compilation_.emplace(backend().flags, problem, settings);
  Trainer::prepare(problem, settings);
  full_ = bind(problem.batch_rows);
  if (feed().loader().partial_rows() != 0) partial_ = bind(feed().loader().partial_rows());
  windows_.emplace(session(), parameters(), feed(), kMostSteps);
  buffers_ = {nullptr, nullptr, nullptr, nullptr, parameters().values()};
  for (std::size_t slot = 0; slot < parameters().slot_count(); ++slot) {
    buffers_.push_back(parameters().slot_block(slot));
  }
}

kernels::RegionCall* RegionTrainer::bind(std::int64_t rows) {
  const Graph graph = compilation_->rewrite("step-" + std::to_string(rows) + "-rows", [&] {
    return build_step(problem(), rows, parameters().slot_count(), false);
  });
  kernels::RegionCall* call = nullptr;
  compilation_->bind([&] {
    const RegionDescription description(graph, parameters(), parts_of(rows));
    const kernels::RegionGraph described = description.graph();
    kernels::TrainingRegion region;
    region.dtype = static_cast<gdbench_dtype>(problem().dtype);
    region.optimizer = problem().optimizer;
    region.rows = rows;
    region.block_size = parameters().block_size();
    region.graph = &described;
    call = session().bind_region(region);
  });
  return call;
}

void RegionTrainer::run_call(const BatchFeed::Batch& batch, kernels::Buffer scalars, std::int64_t steps) {
  kernels::RegionCall* call = batch.rows == problem().batch_rows ? full_ : partial_;
  buffers_[kX] = batch.x;
  buffers_[kTargets] = batch.targets;
  buffers_[kScalars] = scalars;
  call->steps = static_cast<std::uint64_t>(steps);
  call->run(call, buffers_.data(), nullptr);
}

std::int64_t RegionTrainer::run_together(std::int64_t wanted) {
  const std::int64_t together = std::min(wanted, kMostSteps);
  windows_->fill(step_, together);
  run_call(feed().batch(step_), windows_->scalars(), together);
  step_ += together;
  return together;
}

void RegionTrainer::run(std::uint64_t steps) {
  if (feed().full_batch()) {
    for (auto left = static_cast<std::int64_t>(steps); left > 0;) left -= run_together(left);
    return;
  }
  for_each_step(steps, [&](const BatchFeed::Batch& batch) { run_call(batch, parameters().scalars().buffer, 1); });
}

void RegionTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  // One call is all phases, of which no clock outside of it can tell.
  const auto timed = [&](const auto& body) {
    const double start = now_ns();
    body();
    profile.add("training region", GDBENCH_PHASE_OTHER, now_ns() - start, {});
  };
  if (feed().full_batch()) {
    for (auto left = static_cast<std::int64_t>(steps); left > 0;) timed([&] { left -= run_together(left); });
  } else {
    for_each_profiled_step(steps, profile, [&](const BatchFeed::Batch& batch) {
      timed([&] { run_call(batch, parameters().scalars().buffer, 1); });
    });
  }
  profile.report(sink);
  compilation_->report(sink);
}

}  // namespace gdbench::strategies::graph
