#include "implementations/strategies/graph/graph.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "implementations/strategies/common/prepared_steps.h"
#include "implementations/strategies/graph/compilation.h"
#include "implementations/strategies/graph/compiled_region.h"
#include "implementations/strategies/graph/ir/build.h"

namespace gdbench::strategies::graph {
namespace {

class CompiledTrainer final : public Trainer {
 public:
  // `records`: on a device.
  explicit CompiledTrainer(const Setup& setup, bool records = false)
      : Trainer(setup, {.gathers = records}),
        compilation_(setup.backend, setup.problem, setup.settings),
        steps_(make_steps(records)) {}

  void run(std::uint64_t steps) override { steps_.run(steps); }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override {
    steps_.profile(steps, sink);
    compilation_.report(sink);
  }

 private:
  Compiled compile_step(std::int64_t rows);
  TrainingProgram make_step(const Compiled& compiled, backends::Buffer arena, const Batch& batch);
  PreparedSteps make_steps(bool records);

  Compilation compilation_;
  PreparedSteps steps_;
};

Compiled CompiledTrainer::compile_step(std::int64_t rows) {
  if (parts_of(rows).empty()) return {};
  return compilation_.compile("step-" + std::to_string(rows) + "-rows", [&] {
    if (catalogue::task_of(problem()) == catalogue::Task::forward) return build_forward(problem(), rows);
    return exchange() != nullptr ? build_gradients(problem(), rows, rank()) : build_step(problem(), rows);
  });
}

TrainingProgram CompiledTrainer::make_step(const Compiled& compiled, backends::Buffer arena, const Batch& batch) {
  const std::vector<MicroBatch> parts = parts_of(batch.whole_rows);
  std::vector<Batch> rows;
  for (const MicroBatch& part : parts) rows.push_back(feed().part(batch, part));
  Program program = make_executable(session(), compiled, parameters(), masks(), exchange(), arena, rows);
  for (const Output& output : compiled.graph.outputs()) {
    loss_sum().add(program, session().slice(arena, compiled.plan.locations[output.node].offset));
  }
  if (parts.empty()) exchange()->add_no_rows(program);
  return {std::move(program), feed(), batch, parts};
}

PreparedSteps CompiledTrainer::make_steps(bool records) {
  const std::int64_t partial_rows = feed().loader().partial_rows();
  const Compiled full = compile_step(problem().batch_rows);
  const Compiled partial = partial_rows != 0 ? compile_step(partial_rows) : Compiled();
  return compilation_.bind([&] {
    // Both sizes of batch share one arena: they never run at the same time.
    const backends::Buffer arena = session().allocate(std::max(full.plan.arena_bytes, partial.plan.arena_bytes));
    const auto make = [&](const Batch& batch) {
      return make_step(batch.whole_rows == problem().batch_rows ? full : partial, arena, batch);
    };
    return PreparedSteps(*this, make, records);
  });
}

class CompiledUpdate final : public UpdateSteps {
 public:
  explicit CompiledUpdate(const Setup& setup)
      : UpdateSteps(setup), compilation_(setup.backend, setup.problem, setup.settings) {
    const Compiled compiled = compilation_.compile("update", [&] { return build_update(problem()); });
    compilation_.bind(
        [&] { program_ = make_executable(session(), compiled, parameters(), nullptr, nullptr, nullptr, {}); });
    parameters().follow_steps(program_);
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

constexpr std::uint32_t kTrain = bit_of(catalogue::Task::train);
constexpr std::uint32_t kGradients = bit_of(catalogue::Task::gradients);

constexpr StrategyDescriptor describe(const char* policy, std::uint32_t tasks, const char* description,
                                      std::unique_ptr<Strategy> (*create)(const Setup& setup)) {
  return {.name = "graph",
          .policy = policy,
          .description = description,
          .tasks = tasks,
          // Products end in updates, so that a step whose scaled loss overflows cannot be skipped.
          .dtypes = catalogue::kAll<catalogue::Dtype> & ~bit_of(catalogue::Dtype::f16),
          .capabilities = kTrainerCapabilities | kNormalizations,
          .helper_threads = kTrainerHelperThreads,
          .options = kOptions,
          .create = create,
          .create_update = (tasks & bit_of(catalogue::Task::update)) != 0 ? make_strategy<CompiledUpdate> : nullptr,
          .create_forward = create};
}

constexpr StrategyDescriptor describe_region(const char* policy, const char* description,
                                             std::unique_ptr<Strategy> (*create)(const Setup& setup)) {
  StrategyDescriptor descriptor = describe(policy, kTrain, description, create);
  // Its features are dense: a region reads them as they lie.
  descriptor.options = descriptor.options.first(descriptor.options.size() - 1);
  descriptor.regions = true;
  return descriptor;
}

}  // namespace

const StrategyDescriptor kDescriptor =
    describe("", kTrain | bit_of(catalogue::Task::update) | kGradients | bit_of(catalogue::Task::forward),
             "the step as a graph, built once, optimised and planned, run as a flat list of kernel calls",
             make_strategy<CompiledTrainer>);
const StrategyDescriptor kDeviceGraphDescriptor =
    describe("+device-graph", kTrain | kGradients,
             "the step as a graph, its calls recorded on the device and replayed, many steps at once",
             make_strategy<CompiledTrainer, true>);
const StrategyDescriptor kRegionDescriptor =
    describe_region("", "the step as a graph, compiled as a whole: many steps in one call of code made for it",
                    [](const Setup& setup) { return make_compiled_region(setup, false); });
const StrategyDescriptor kHoistedDescriptor =
    describe_region("+hoisted", "linear regression compiled as a whole, with X'X and X'y computed once for all steps",
                    [](const Setup& setup) { return make_compiled_region(setup, true); });

}  // namespace gdbench::strategies::graph
