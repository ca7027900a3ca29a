#include "implementations/strategies/graph/rank_region.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "implementations/common/failure.h"
#include "implementations/common/options.h"
#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/trainer.h"
#include "implementations/strategies/graph/compilation.h"
#include "implementations/strategies/graph/ir/build.h"
#include "implementations/strategies/graph/region_batches.h"
#include "implementations/strategies/graph/region_description.h"

namespace gdbench::strategies::graph {
namespace {

using implementations::Failure;

// RegionCall's buffers.
enum : std::size_t { kX, kTargets, kRows, kScalars };

class RankRegion final : public Trainer {
 public:
  explicit RankRegion(const Setup& setup);
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  void refuse_what_it_cannot(const gdbench_settings& settings) const;
  void place_batches();
  backends::RegionCall* bind(const std::string& name, const Graph& graph, std::int64_t rows);
  // Null where this rank has no rows of a batch of `rows` rows.
  backends::RegionCall* bind_gradients(std::int64_t rows);
  void bind_update();
  // What the step's calls read, unless the loader makes its batch.
  void begin_step();
  // Of the rank's rows of a batch of `rows` rows.
  void compute_gradients(std::int64_t rows);
  void compute_loaded(const Batch& batch);

  const gdbench_settings& settings_;
  Compilation compilation_;
  Batches batches_;
  std::optional<RowOrder> order_;  // numbered
  backends::Buffer numbers_ = nullptr;
  std::vector<backends::Buffer> buffers_;
  backends::RegionCall* full_ = nullptr;
  backends::RegionCall* partial_ = nullptr;
  Program no_rows_;
};

RankRegion::RankRegion(const Setup& setup)
    : Trainer(setup, {.own_update = true}),
      settings_(setup.settings),
      compilation_(setup.backend, setup.problem, setup.settings),
      batches_(choose_batches(feed(), data(), setup.settings)) {
  refuse_what_it_cannot(setup.settings);
  buffers_ = {nullptr, nullptr, nullptr, parameters().scalars().buffer, parameters().values()};
  for (std::size_t slot = 0; slot < parameters().slot_count(); ++slot) {
    buffers_.push_back(parameters().slot_block(slot));
  }
  buffers_.push_back(parameters().gradients());
  place_batches();
  full_ = bind_gradients(problem().batch_rows);
  const std::int64_t partial_rows = feed().loader().partial_rows();
  if (partial_rows != 0) partial_ = bind_gradients(partial_rows);
  exchange()->add_no_rows(no_rows_);
  bind_update();
}

void RankRegion::refuse_what_it_cannot(const gdbench_settings& settings) const {
  if (implementations::chosen<ExchangeKind>(settings, kExchangeOption) != ExchangeKind::overlapped) return;
  throw Failure(GDBENCH_UNSUPPORTED, "exchange=overlapped: a compiled region has all gradients at once");
}

void RankRegion::place_batches() {
  if (batches_ == Batches::loaded) return;
  Batch batch;
  if (batches_ == Batches::same) {
    batch = feed().place(0);
  } else {
    order_.emplace(data(), loader::batching_of(problem()), catalogue::takes_labels(problem()), true, rank());
    batch = numbered_data(session(), feed(), *order_);
    const auto entries = static_cast<std::size_t>(order_->data().epochs * data().rows);
    numbers_ = session().import_host(order_->data().order, entries * sizeof(std::uint32_t));
  }
  buffers_[kX] = batch.x;
  buffers_[kTargets] = batch.targets;
}

backends::RegionCall* RankRegion::bind(const std::string& name, const Graph& graph, std::int64_t rows) {
  const std::int64_t own_rows = rank().part_of(rows).rows;
  const bool same = batches_ == Batches::same && rows != 0;
  backends::RegionCall* call = compilation_.bind([&] {
    const RegionDescription description(graph, parameters(), parts_of(rows));
    const backends::RegionGraph described = description.graph();
    return session().bind_region({.dtype = catalogue::dtype_of(problem()),
                                  .optimizer = problem().optimizer,
                                  .rows = own_rows,
                                  .block_size = parameters().block_size(),
                                  .graph = &described,
                                  .settings = &settings_,
                                  .name = name.c_str(),
                                  .gathers = order_.has_value() && rows != 0,
                                  // A rank with fewer rows than others takes what threads they take.
                                  .minor = own_rows < loader::part_of_rows(problem().batch_rows, 0, rank().count).rows,
                                  .constant_x = same ? buffers_[kX] : nullptr,
                                  .constant_targets = same ? buffers_[kTargets] : nullptr});
  });
  call->steps = 1;
  compilation_.add(*call);
  return call;
}

backends::RegionCall* RankRegion::bind_gradients(std::int64_t rows) {
  if (parts_of(rows).empty()) return nullptr;
  const std::string name = "gradients-" + std::to_string(rows) + "-rows";
  return bind(name, compilation_.rewrite(name, [&] { return build_gradients(problem(), rows, rank()); }), rows);
}

void RankRegion::bind_update() {
  const auto build = [&] { return build_update(problem()); };
  Program update;
  update.append(bind("update", compilation_.rewrite("update", build), 0),
                {"update", catalogue::Phase::update, {}, whole_model(problem())}, buffers_);
  set_update(std::move(update));
}

void RankRegion::begin_step() {
  parameters().set_step(step_);
  if (!order_) return;
  const auto first = static_cast<std::size_t>(order_->index(step_) - order_->data().order);
  buffers_[kRows] = session().slice(numbers_, first * sizeof(std::uint32_t));
}

void RankRegion::compute_gradients(std::int64_t rows) {
  const backends::RegionCall* call = rows == problem().batch_rows ? full_ : partial_;
  if (call == nullptr) return no_rows_.run();
  if (call->load_state != nullptr) call->load_state(call, buffers_.data());
  call->run(call, buffers_.data(), nullptr);
  if (call->store_state != nullptr) call->store_state(call, buffers_.data());
}

void RankRegion::compute_loaded(const Batch& batch) {
  buffers_[kX] = batch.x;
  buffers_[kTargets] = batch.targets;
  compute_gradients(batch.whole_rows);
}

void RankRegion::run(std::uint64_t steps) {
  if (batches_ == Batches::loaded) return for_each_step(steps, [&](const Batch& batch) { compute_loaded(batch); });
  for (std::uint64_t i = 0; i < steps; ++i) {
    begin_step();
    compute_gradients(feed().loader().whole_rows(step_));
    finish_step();
    ++step_;
  }
}

void RankRegion::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  CallClock clock(session());
  ModelPart part = whole_model(problem());
  part.use = GDBENCH_COMPUTES_GRADIENTS;
  const ProfiledAs gradients{"gradient region", catalogue::Phase::other, {}, part};
  if (batches_ == Batches::loaded) {
    for_each_profiled_step(steps, clock,
                           [&](const Batch& batch) { clock.run_whole(gradients, [&] { compute_loaded(batch); }); });
  } else {
    for (std::uint64_t i = 0; i < steps; ++i) {
      begin_step();
      clock.run_whole(gradients, [&] { compute_gradients(feed().loader().whole_rows(step_)); });
      finish_step(clock);
      ++step_;
    }
  }
  clock.report(sink);
  compilation_.report(sink);
}

}  // namespace

std::unique_ptr<Strategy> make_rank_region(const Setup& setup) { return std::make_unique<RankRegion>(setup); }

}  // namespace gdbench::strategies::graph
