#include "implementations/strategies/graph/graph.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "implementations/strategies/common/prepared_steps.h"
#include "implementations/strategies/common/update_trainer.h"
#include "implementations/strategies/graph/compilation.h"
#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/plan/executable.h"
#include "implementations/strategies/graph/region_trainer.h"

namespace gdbench::strategies::graph {
namespace {

class CompiledTrainer final : public Trainer {
 public:
  // `records`: on a device.
  explicit CompiledTrainer(const Setup& setup, bool records = false)
      : Trainer(setup, records),
        compilation_(setup.backend, setup.problem, setup.settings),
        steps_(make_steps(records)) {}

  void run(std::uint64_t steps) override { steps_.run(steps); }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override {
    steps_.profile(steps, sink);
    compilation_.report(sink);
  }

 private:
  Compiled compile_step(std::int64_t rows);
  TrainingProgram make_step(const Compiled& compiled, backends::Buffer arena, const BatchFeed::Batch& batch);
  PreparedSteps make_steps(bool records);

  Compilation compilation_;
  PreparedSteps steps_;
};

Compiled CompiledTrainer::compile_step(std::int64_t rows) {
  return compilation_.compile("step-" + std::to_string(rows) + "-rows",
                              [&] { return build_step(problem(), rows, parameters().slot_count(), false); });
}

TrainingProgram CompiledTrainer::make_step(const Compiled& compiled, backends::Buffer arena,
                                           const BatchFeed::Batch& batch) {
  const std::vector<MicroBatch> parts = parts_of(batch.rows);
  std::vector<BatchFeed::Batch> rows;
  for (const MicroBatch& part : parts) rows.push_back(feed().part(batch, part));
  return {make_executable(session(), compiled, parameters(), masks(), arena, rows), feed(), batch, parts};
}

PreparedSteps CompiledTrainer::make_steps(bool records) {
  const std::int64_t partial_rows = feed().loader().partial_rows();
  const Compiled full = compile_step(problem().batch_rows);
  std::optional<Compiled> partial;
  if (partial_rows != 0) partial = compile_step(partial_rows);

  return compilation_.bind([&] {
    // Both sizes of batch share one arena: they never run at the same time.
    const std::size_t arena_bytes = std::max(full.plan.arena_bytes, partial ? partial->plan.arena_bytes : 0);
    const backends::Buffer arena = session().allocate(arena_bytes);
    TrainingProgram full_step = make_step(full, arena, feed().place(0));
    std::optional<TrainingProgram> partial_step;
    if (partial) partial_step = make_step(*partial, arena, feed().place(feed().loader().steps_per_epoch() - 1));
    return PreparedSteps(*this, std::move(full_step), std::move(partial_step), records);
  });
}

class CompiledUpdate final : public UpdateSteps {
 public:
  explicit CompiledUpdate(const Setup& setup)
      : UpdateSteps(setup), compilation_(setup.backend, setup.problem, setup.settings) {
    const Compiled compiled =
        compilation_.compile("update", [&] { return build_update(problem(), parameters().slot_count()); });
    compilation_.bind([&] { program_ = make_executable(session(), compiled, parameters(), nullptr, nullptr, {}); });
  }

  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override {
    UpdateSteps::profile(steps, sink);
    compilation_.report(sink);
  }

 private:
  Compilation compilation_;
};

const gdbench_option kPassesOption = {"passes", GDBENCH_OPTION_SWITCHES, 0,
                                      "all",    switch_names(),          switch_description()};
const gdbench_option kDumpOption = {
    "dump",  GDBENCH_OPTION_STRING,
    0,       "",
    nullptr, "a folder into which the graph is written, as text and as Graphviz DOT, before and after each pass"};
const gdbench_option kOptions[] = {loader::kLoaderOption, loader::kPrefetchOption, kPassesOption, kDumpOption,
                                   kFeaturesOption};

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "graph",
    .description = "the step as a graph, built once, optimised and planned, run as a flat list of kernel calls",
    .tasks = bit_of(catalogue::Task::train) | bit_of(catalogue::Task::update) | bit_of(catalogue::Task::gradients),
    .activations = catalogue::kAll<catalogue::Activation>,
    .losses = catalogue::kAll<catalogue::Loss>,
    .optimizers = catalogue::kAll<catalogue::OptimizerKind>,
    .capabilities = kTrainerCapabilities,
    .helper_threads = kTrainerHelperThreads,
    .option_count = static_cast<std::int64_t>(std::size(kOptions)),
    .options = kOptions,
    .create = make_strategy<CompiledTrainer>,
    .create_update = make_strategy<CompiledUpdate>,
};

namespace {

StrategyDescriptor recorded() {
  StrategyDescriptor descriptor = kDescriptor;
  descriptor.policy = "+device-graph";
  descriptor.description = "the step as a graph, its calls recorded on the device and replayed, many steps at once";
  descriptor.tasks = bit_of(catalogue::Task::train) | bit_of(catalogue::Task::gradients);
  descriptor.create = [](const Setup& setup) -> std::unique_ptr<Strategy> {
    return std::make_unique<CompiledTrainer>(setup, true);
  };
  descriptor.create_update = nullptr;
  return descriptor;
}

}  // namespace

const StrategyDescriptor kDeviceGraphDescriptor = recorded();

namespace {

// Its features are dense: a region reads them as they lie.
const gdbench_option kRegionOptions[] = {loader::kLoaderOption, loader::kPrefetchOption, kPassesOption, kDumpOption};

StrategyDescriptor compiled() {
  StrategyDescriptor descriptor = kDescriptor;
  descriptor.description = "the step as a graph, compiled as a whole: many steps in one call of code made for it";
  descriptor.tasks = bit_of(catalogue::Task::train);
  descriptor.option_count = static_cast<std::int64_t>(std::size(kRegionOptions));
  descriptor.options = kRegionOptions;
  descriptor.regions = true;
  descriptor.create = make_strategy<RegionTrainer>;
  descriptor.create_update = nullptr;
  return descriptor;
}

}  // namespace

const StrategyDescriptor kRegionDescriptor = compiled();

namespace {

StrategyDescriptor hoisted() {
  StrategyDescriptor descriptor = compiled();
  descriptor.policy = "+hoisted";
  descriptor.description = "linear regression compiled as a whole, with X'X and X'y computed once for all steps";
  descriptor.create = [](const Setup& setup) -> std::unique_ptr<Strategy> {
    return std::make_unique<RegionTrainer>(setup, true);
  };
  return descriptor;
}

}  // namespace

const StrategyDescriptor kHoistedDescriptor = hoisted();

}  // namespace gdbench::strategies::graph
