#include "implementations/strategies/graph/graph.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "implementations/options.h"
#include "implementations/strategies/graph/dump.h"
#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/plan/executable.h"
#include "implementations/strategies/prepared_trainer.h"

namespace gdbench::strategies::graph {
namespace {

// Time spent compiling, by what was done.
struct CompileTimes {
  double build = 0;
  double bind = 0;
  std::vector<PassReport> passes;

  void add(const std::vector<PassReport>& reports) {
    if (passes.empty()) {
      passes = reports;
      return;
    }
    for (std::size_t i = 0; i < reports.size(); ++i) {
      passes[i].fired += reports[i].fired;
      passes[i].nanoseconds += reports[i].nanoseconds;
    }
  }
};

class CompiledStrategy final : public PreparedTrainer {
 public:
  explicit CompiledStrategy(const kernels::Backend& backend)
      : PreparedTrainer(backend), backend_flags_(backend.flags) {}

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  Compiled compile_step(std::int64_t rows, const Selection& selection, const std::string& dump_folder);
  void report_compilation(const gdbench_profile_sink& sink) const;

  std::uint32_t backend_flags_;
  CompileTimes times_;
};

Compiled CompiledStrategy::compile_step(std::int64_t rows, const Selection& selection, const std::string& dump_folder) {
  const double start = now_ns();
  Graph graph = build_step(problem(), rows, parameters().slot_count(), false);
  times_.build += now_ns() - start;
  const std::string name = "step-" + std::to_string(rows) + "-rows";
  const Observer observer = dump_folder.empty() ? Observer() : dump_to(dump_folder, name);
  Compiled compiled = compile(std::move(graph), {backend_flags_, problem().optimizer}, selection,
                              static_cast<gdbench_dtype>(problem().dtype), observer);
  if (!dump_folder.empty()) dump_plan(dump_folder, name, compiled);
  times_.add(compiled.reports);
  return compiled;
}

void CompiledStrategy::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  const Selection selection = parse_selection(implementations::option_value(settings, "passes"));
  const std::string dump_folder = implementations::option_value(settings, "dump");
  Trainer::prepare(problem, settings);
  const std::int64_t partial_rows = feed().loader().partial_rows();
  const Compiled full = compile_step(problem.batch_rows, selection, dump_folder);
  std::optional<Compiled> partial;
  if (partial_rows != 0) partial = compile_step(partial_rows, selection, dump_folder);

  const double start = now_ns();
  // Both sizes of batch share one arena: they never run at the same time.
  const std::size_t arena_bytes = std::max(full.plan.arena_bytes, partial ? partial->plan.arena_bytes : 0);
  const kernels::Buffer arena = session().allocate(arena_bytes);
  full_.emplace(make_executable(session(), full, parameters(), masks(), arena, feed().place(0)));
  if (partial) {
    const BatchFeed::Batch last = feed().place(feed().loader().steps_per_epoch() - 1);
    partial_.emplace(make_executable(session(), *partial, parameters(), masks(), arena, last));
  }
  times_.bind += now_ns() - start;
}

void CompiledStrategy::report_compilation(const gdbench_profile_sink& sink) const {
  const auto record = [&](const std::string& name, std::int64_t calls, double nanoseconds) {
    gdbench_profile_record values{};
    values.op = name.c_str();
    values.phase = GDBENCH_PHASE_COMPILE;
    values.calls = static_cast<std::uint64_t>(calls);
    values.time_ns = nanoseconds;
    sink.record(sink.context, &values);
  };
  const std::int64_t graphs = partial_ ? 2 : 1;
  record("build", graphs, times_.build);
  for (const PassReport& pass : times_.passes) record(std::string("pass ") + pass.name, pass.fired, pass.nanoseconds);
  record("bind", graphs, times_.bind);
}

void CompiledStrategy::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  PreparedTrainer::profile(steps, sink);
  report_compilation(sink);
}

const gdbench_option kOptions[] = {
    kTrainerOptions[0],
    kTrainerOptions[1],
    {"passes", GDBENCH_OPTION_SWITCHES, 0, "all", switch_names(),
     "which passes run: all, none, or changes to all such as -fusion,-buffer-reuse"},
    {"dump", GDBENCH_OPTION_STRING, 0, "", nullptr,
     "a folder into which the graph is written, as text and as Graphviz DOT, before and after each pass"},
};

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "graph",
    .description = "the step as a graph, built once, optimised and planned, run as a flat list of kernel calls",
    .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN) | GDBENCH_BIT(GDBENCH_TASK_GRADIENTS),
    .activations = kTrainerActivations,
    .losses = kTrainerLosses,
    .optimizers = kTrainerOptimizers,
    .capabilities = kTrainerCapabilities,
    .helper_threads = kTrainerHelperThreads,
    .option_count = static_cast<std::int64_t>(std::size(kOptions)),
    .options = kOptions,
    .create = [](const kernels::Backend& backend) -> std::unique_ptr<Strategy> {
      return std::make_unique<CompiledStrategy>(backend);
    },
};

}  // namespace gdbench::strategies::graph
