#include "implementations/strategies/common/region_trainer.h"

#include <algorithm>

namespace gdbench::strategies {
namespace {

// RegionCall's buffers.
constexpr std::size_t kX = 0;
constexpr std::size_t kTargets = 1;
constexpr std::size_t kScalars = 3;

// How many steps one call can be given windows for: a mebibyte of row numbers at most.
std::int64_t steps_of_a_call(const RowOrder* order) {
  constexpr std::int64_t kMaxSteps = 4096;
  constexpr std::int64_t kMaxRowNumbers = std::int64_t{1} << 18;
  if (order == nullptr) return kMaxSteps;
  return std::clamp<std::int64_t>(kMaxRowNumbers / std::max<std::int64_t>(order->plan().most_rows(), 1), 1, kMaxSteps);
}

}  // namespace

void RegionTrainer::prepare(const RowOrder* order,
                            const std::function<backends::RegionCall*(std::int64_t rows)>& bind) {
  window_ = steps_of_a_call(order);
  windows_.emplace(session(), parameters(), order, window_);
  full_ = bind(problem().batch_rows);
  if (feed().loader().partial_rows() != 0) partial_ = bind(feed().loader().partial_rows());
  buffers_ = {nullptr, nullptr, windows_->index(), windows_->scalars(), parameters().values()};
  for (std::size_t slot = 0; slot < parameters().slot_count(); ++slot) {
    buffers_.push_back(parameters().slot_block(slot));
  }
}

void RegionTrainer::set_batch(backends::Buffer x, backends::Buffer targets, backends::Buffer scalars) {
  buffers_[kX] = x;
  buffers_[kTargets] = targets;
  buffers_[kScalars] = scalars;
}

void RegionTrainer::store_state() {
  if (holder_ != nullptr && holder_->store_state != nullptr) holder_->store_state(holder_, buffers_.data());
}

void RegionTrainer::move_state_to(backends::RegionCall* call) {
  if (call == holder_) return;
  store_state();
  if (call != nullptr && call->load_state != nullptr) call->load_state(call, buffers_.data());
  holder_ = call;
}

void RegionTrainer::set_state(const gdbench_state& state) {
  holder_ = nullptr;
  Trainer::set_state(state);
  move_state_to(full_);
}

void RegionTrainer::get_state(gdbench_state& state) {
  store_state();
  Trainer::get_state(state);
}

double RegionTrainer::evaluate(std::int32_t split) {
  store_state();
  return Trainer::evaluate(split);
}

void RegionTrainer::run_call(std::int64_t rows, std::int64_t steps) {
  backends::RegionCall* call = rows == problem().batch_rows ? full_ : partial_;
  move_state_to(call);
  call->steps = static_cast<std::uint64_t>(steps);
  call->run(call, buffers_.data(), nullptr);
}

std::int64_t RegionTrainer::run_together(std::int64_t wanted) {
  const std::int64_t together = std::min({steps_alike(feed().loader(), step_), wanted, window_});
  windows_->fill(step_, together);
  run_call(feed().loader().whole_rows(step_), together);
  step_ += together;
  return together;
}

void RegionTrainer::run(std::uint64_t steps) {
  for (auto left = static_cast<std::int64_t>(steps); left > 0;) left -= run_together(left);
}

void RegionTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  CallClock clock(session());
  for (auto left = static_cast<std::int64_t>(steps); left > 0;) {
    clock.run_whole(profiled_as(), [&] { left -= run_together(left); });
  }
  clock.report(sink);
}

}  // namespace gdbench::strategies
