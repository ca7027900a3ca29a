// What strategies for chains of fully connected layers have in common but for the step itself: the session, parameters,
// batches, the count of steps and the evaluation of the loss.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>

#include "implementations/strategies/batch_feed.h"
#include "implementations/strategies/column_masks.h"
#include "implementations/strategies/evaluation.h"
#include "implementations/strategies/parameters.h"
#include "implementations/strategies/profile.h"
#include "implementations/strategies/session.h"
#include "implementations/strategies/strategy.h"

namespace gdbench::strategies {

// What a Trainer can do, for the masks of StrategyDescriptor.
constexpr std::uint32_t kTrainerActivations = GDBENCH_BIT(GDBENCH_IDENTITY) | GDBENCH_BIT(GDBENCH_RELU) |
                                              GDBENCH_BIT(GDBENCH_TANH) | GDBENCH_BIT(GDBENCH_SIGMOID);
constexpr std::uint32_t kTrainerLosses =
    GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE) | GDBENCH_BIT(GDBENCH_SOFTMAX_CROSS_ENTROPY);
constexpr std::uint32_t kTrainerOptimizers = GDBENCH_BIT(GDBENCH_SGD) | GDBENCH_BIT(GDBENCH_MOMENTUM) |
                                             GDBENCH_BIT(GDBENCH_NESTEROV) | GDBENCH_BIT(GDBENCH_ADAGRAD) |
                                             GDBENCH_BIT(GDBENCH_RMSPROP) | GDBENCH_BIT(GDBENCH_ADAM) |
                                             GDBENCH_BIT(GDBENCH_ADAMW);
constexpr std::uint32_t kTrainerCapabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) |
                                               GDBENCH_BIT(GDBENCH_CAPABILITY_STREAM) |
                                               GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE);
constexpr std::int32_t kTrainerHelperThreads = 1;  // for prefetch
// Options that every Trainer reads; a strategy's own come behind them.
constexpr gdbench_option kTrainerOptions[] = {pipeline::kLoaderOption, pipeline::kPrefetchOption};

class Trainer : public Strategy {
 public:
  explicit Trainer(const kernels::Backend& backend) : backend_(backend) {}

  void load(const gdbench_data& data) override { data_ = &data; }
  // A strategy extends it with what its step needs.
  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void set_state(const gdbench_state& state) override;
  void get_state(gdbench_state& state) override;
  void sync() override { session_->synchronise(); }
  double evaluate(std::int32_t split) override;
  std::int32_t helper_threads() const override { return feed_->loader().helper_threads(); }

 protected:
  const gdbench_problem& problem() const { return *problem_; }
  Session& session() { return *session_; }
  Parameters& parameters() { return *parameters_; }
  BatchFeed& feed() { return *feed_; }
  // Of the task gradients; null for train, whose step takes the gradient of the whole loss.
  const ColumnMasks* masks() const { return masks_ ? &*masks_ : nullptr; }
  // Columns of a batch's targets: labels have one.
  std::int64_t target_columns() const;

  // Calls execute(batch) for each of `steps` steps, with the learning rate of the step in place. Where all steps are
  // alike it is called with the same batch and nothing else happens in between.
  template <class Execute>
  void for_each_step(std::uint64_t steps, Execute execute);
  // The same for a profile: the batch and the learning rate are a record of phase data.
  template <class Execute>
  void for_each_profiled_step(std::uint64_t steps, Profile& profile, Execute execute);

 private:
  const kernels::Backend& backend_;
  const gdbench_data* data_ = nullptr;
  const gdbench_problem* problem_ = nullptr;
  // In the order of dependence: what comes later holds references to what comes before.
  std::optional<Session> session_;
  std::optional<Parameters> parameters_;
  std::optional<BatchFeed> feed_;
  std::optional<ColumnMasks> masks_;
  std::optional<Evaluation> evaluations_[2];
  std::int64_t step_ = 0;
};

template <class Execute>
void Trainer::for_each_step(std::uint64_t steps, Execute execute) {
  parameters_->set_step(step_);
  if (feed_->loader().full_batch() && !parameters_->varies()) {
    const BatchFeed::Batch batch = feed_->batch(step_);
    for (std::uint64_t i = 0; i < steps; ++i) execute(batch);
    step_ += static_cast<std::int64_t>(steps);
    return;
  }
  feed_->start(step_, steps);
  for (std::uint64_t i = 0; i < steps; ++i) {
    parameters_->set_step(step_);
    execute(feed_->batch(step_));
    ++step_;
  }
}

template <class Execute>
void Trainer::for_each_profiled_step(std::uint64_t steps, Profile& profile, Execute execute) {
  feed_->start(step_, steps);
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double start = now_ns();
    parameters_->set_step(step_);
    const BatchFeed::Batch batch = feed_->batch(step_);
    profile.add("batch", GDBENCH_PHASE_DATA, now_ns() - start, {0, feed_->copied_bytes(batch.rows)});
    execute(batch);
    ++step_;
  }
}

}  // namespace gdbench::strategies
