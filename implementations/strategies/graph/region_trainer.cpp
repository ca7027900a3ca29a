#include "implementations/strategies/graph/region_trainer.h"

#include <algorithm>
#include <string>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/ir/build.h"

namespace gdbench::strategies::graph {

namespace {

using backends::RegionRole;
using implementations::Failure;

RegionRole role_of(Role role) {
  switch (role) {
    case Role::x:
      return RegionRole::x;
    case Role::targets:
      return RegionRole::targets;
    case Role::parameter:
      return RegionRole::parameter;
    case Role::slot:
      return RegionRole::slot;
    case Role::scalars:
      return RegionRole::scalars;
    case Role::gradient:
    case Role::mask:
      break;
  }
  throw Failure(GDBENCH_UNSUPPORTED, "regions of other tasks than train");
}

}  // namespace

RegionDescription::RegionDescription(const Graph& graph, const Parameters& parameters,
                                     const std::vector<MicroBatch>& parts)
    : numbers_(graph.id_count()) {
  for (const NodeId id : graph.order()) {
    const Node& node = graph[id];
    if (node.kind != Kind::input && node.kind != Kind::call) {
      throw Failure(GDBENCH_UNSUPPORTED, "regions with constants, transposes or merged updates");
    }
    const std::uint32_t number = add_value(graph, id, parameters, parts);
    if (node.kind == Kind::call) add_node(node, number);
  }
}

std::uint32_t RegionDescription::add_value(const Graph& graph, NodeId id, const Parameters& parameters,
                                           const std::vector<MicroBatch>& parts) {
  const Node& node = graph[id];
  backends::RegionValue value;
  value.rows = node.shape.rows;
  value.columns = node.shape.columns;
  if (node.kind == Kind::input) value.role = role_of(node.role);
  if (node.is_state()) value.offset = parameters.offset(node.parameter);
  if (value.role == RegionRole::slot) value.slot = node.slot;
  if (value.role == RegionRole::x || value.role == RegionRole::targets) value.first_row = parts[node.part].first;
  values_.push_back(value);
  return numbers_[id] = static_cast<std::uint32_t>(values_.size() - 1);
}

void RegionDescription::add_node(const Node& node, std::uint32_t result) {
  backends::RegionNode described;
  described.request = node.request;
  described.operand_count = node.operands.size();
  for (std::size_t i = 0; i < node.operands.size(); ++i) described.operands[i] = numbers_[node.operands[i]];
  described.result = result;
  nodes_.push_back(described);
}

namespace {

// RegionCall's buffers.
constexpr std::size_t kX = 0;
constexpr std::size_t kTargets = 1;
constexpr std::size_t kScalars = 3;

}  // namespace

RegionTrainer::RegionTrainer(const Setup& setup, bool hoists)
    : Trainer(setup),
      hoists_(hoists),
      settings_(setup.settings),
      compilation_(setup.backend, setup.problem, setup.settings),
      batches_(choose_batches()),
      order_(numbered_rows()),
      window_(StepWindows::steps_of_a_call(order())),
      windows_(session(), parameters(), order(), window_),
      full_(bind(problem().batch_rows)),
      partial_(feed().loader().partial_rows() != 0 ? bind(feed().loader().partial_rows()) : nullptr),
      buffers_({nullptr, nullptr, windows_.index(), windows_.scalars(), parameters().values()}) {
  for (std::size_t slot = 0; slot < parameters().slot_count(); ++slot) {
    buffers_.push_back(parameters().slot_block(slot));
  }
  if (batches_ == Batches::same) {
    const BatchFeed::Batch batch = feed().place(0);
    set_batch(batch.x, batch.targets, windows_.scalars());
  } else if (order_) {
    const auto rows = static_cast<std::size_t>(data().rows);
    set_batch(session().import_host(data().x, rows * feed().loader().x_row_bytes()),
              session().import_host(order_->plan().targets(), rows * feed().loader().target_row_bytes()),
              windows_.scalars());
  }
}

RegionTrainer::Batches RegionTrainer::choose_batches() const {
  if (feed().full_batch()) return Batches::same;
  const bool default_loader = loader::is_default(loader::read_loader_settings(settings_));
  return data().stream == nullptr && default_loader ? Batches::numbered : Batches::loaded;
}

std::optional<RowOrder> RegionTrainer::numbered_rows() const {
  if (batches_ != Batches::numbered) return std::nullopt;
  return std::optional<RowOrder>(std::in_place, data(), problem().batch_rows, catalogue::takes_labels(problem()), true);
}

backends::RegionCall* RegionTrainer::bind(std::int64_t rows) {
  const std::string name = "step-" + std::to_string(rows) + "-rows";
  const Graph graph =
      compilation_.rewrite(name, [&] { return build_step(problem(), rows, parameters().slot_count(), false); });
  backends::RegionCall* call = nullptr;
  compilation_.bind([&] {
    const RegionDescription description(graph, parameters(), parts_of(rows));
    const backends::RegionGraph described = description.graph();
    backends::TrainingRegion region;
    region.dtype = catalogue::dtype_of(problem());
    region.optimizer = problem().optimizer;
    region.rows = rows;
    region.block_size = parameters().block_size();
    region.graph = &described;
    region.settings = &settings_;
    region.hoist = hoists_;
    region.name = name.c_str();
    region.gathers = batches_ == Batches::numbered;
    if (batches_ == Batches::same) {
      region.constant_x = feed().place(0).x;
      region.constant_targets = feed().place(0).targets;
    }
    call = session().bind_region(region);
  });
  compilation_.add(*call);
  return call;
}

void RegionTrainer::set_batch(backends::Buffer x, backends::Buffer targets, backends::Buffer scalars) {
  buffers_[kX] = x;
  buffers_[kTargets] = targets;
  buffers_[kScalars] = scalars;
}

void RegionTrainer::run_call(std::int64_t rows, std::int64_t steps) {
  backends::RegionCall* call = rows == problem().batch_rows ? full_ : partial_;
  call->steps = static_cast<std::uint64_t>(steps);
  call->run(call, buffers_.data(), nullptr);
}

std::int64_t RegionTrainer::run_together(std::int64_t wanted) {
  const std::int64_t together = std::min({steps_alike(feed().loader(), step_), wanted, window_});
  windows_.fill(step_, together);
  run_call(feed().loader().rows(step_), together);
  step_ += together;
  return together;
}

void RegionTrainer::run_loaded(const BatchFeed::Batch& batch) {
  set_batch(batch.x, batch.targets, parameters().scalars().buffer);
  run_call(batch.rows, 1);
}

void RegionTrainer::run(std::uint64_t steps) {
  if (batches_ == Batches::loaded) {
    for_each_step(steps, [&](const BatchFeed::Batch& batch) { run_loaded(batch); });
    return;
  }
  for (auto left = static_cast<std::int64_t>(steps); left > 0;) left -= run_together(left);
}

void RegionTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  // One call is all phases of all layers, of which no clock outside of it can tell.
  const ProfiledAs region{"training region", catalogue::Phase::other, {}, whole_model(problem())};
  const auto timed = [&](const auto& body) {
    const double start = now_ns();
    body();
    profile.add(region, now_ns() - start);
  };
  if (batches_ == Batches::loaded) {
    for_each_profiled_step(steps, profile, [&](const BatchFeed::Batch& batch) { timed([&] { run_loaded(batch); }); });
  } else {
    for (auto left = static_cast<std::int64_t>(steps); left > 0;) timed([&] { left -= run_together(left); });
  }
  profile.report(sink);
  compilation_.report(sink);
}

}  // namespace gdbench::strategies::graph
