#include "implementations/strategies/graph/compiled_region.h"

#include <optional>
#include <string>
#include <vector>

#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/region_trainer.h"
#include "implementations/strategies/graph/compilation.h"
#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/rank_region.h"
#include "implementations/strategies/graph/region_batches.h"
#include "implementations/strategies/graph/region_description.h"

namespace gdbench::strategies::graph {
namespace {

class CompiledRegion final : public RegionTrainer {
 public:
  CompiledRegion(const Setup& setup, bool hoists);
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  backends::RegionCall* bind(std::int64_t rows);
  void run_loaded(const Batch& batch);

  bool hoists_;
  const gdbench_settings& settings_;
  Compilation compilation_;
  Batches batches_;
  std::optional<RowOrder> order_;  // numbered
};

CompiledRegion::CompiledRegion(const Setup& setup, bool hoists)
    : RegionTrainer(setup),
      hoists_(hoists),
      settings_(setup.settings),
      compilation_(setup.backend, setup.problem, setup.settings),
      batches_(choose_batches(feed(), data(), setup.settings)) {
  if (batches_ == Batches::numbered) {
    order_.emplace(data(), loader::batching_of(problem()), catalogue::takes_labels(problem()), true);
  }
  prepare(order_ ? &*order_ : nullptr, [this](std::int64_t batch_rows) { return bind(batch_rows); });
  if (batches_ == Batches::same) {
    const Batch batch = feed().place(0);
    set_batch(batch.x, batch.targets);
  } else if (order_) {
    const Batch all = numbered_data(session(), feed(), *order_);
    set_batch(all.x, all.targets);
  }
}

backends::RegionCall* CompiledRegion::bind(std::int64_t rows) {
  const std::string name = "step-" + std::to_string(rows) + "-rows";
  const Graph graph = compilation_.rewrite(name, [&] { return build_step(problem(), rows); });
  backends::RegionCall* call = compilation_.bind([&] {
    const RegionDescription description(graph, parameters(), parts_of(rows));
    const backends::RegionGraph described = description.graph();
    const Batch constant = batches_ == Batches::same ? feed().place(0) : Batch();
    return session().bind_region({.dtype = catalogue::dtype_of(problem()),
                                  .optimizer = problem().optimizer,
                                  .rows = rows,
                                  .block_size = parameters().block_size(),
                                  .graph = &described,
                                  .settings = &settings_,
                                  .name = name.c_str(),
                                  .gathers = batches_ == Batches::numbered,
                                  .minor = rows < problem().batch_rows,
                                  .hoist = hoists_,
                                  .constant_x = constant.x,
                                  .constant_targets = constant.targets});
  });
  compilation_.add(*call);
  return call;
}

void CompiledRegion::run_loaded(const Batch& batch) {
  set_batch(batch.x, batch.targets, parameters().scalars().buffer);
  run_call(batch.whole_rows, 1);
}

void CompiledRegion::run(std::uint64_t steps) {
  if (batches_ != Batches::loaded) return RegionTrainer::run(steps);
  for_each_step(steps, [&](const Batch& batch) { run_loaded(batch); });
}

void CompiledRegion::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  if (batches_ == Batches::loaded) {
    CallClock clock(session());
    for_each_profiled_step(steps, clock,
                           [&](const Batch& batch) { clock.run_whole(profiled_as(), [&] { run_loaded(batch); }); });
    clock.report(sink);
  } else {
    RegionTrainer::profile(steps, sink);
  }
  compilation_.report(sink);
}

}  // namespace

std::unique_ptr<Strategy> make_compiled_region(const Setup& setup, bool hoists) {
  if (setup.settings.ranks != nullptr) return make_rank_region(setup);
  return std::make_unique<CompiledRegion>(setup, hoists);
}

}  // namespace gdbench::strategies::graph
