// What strategies that train chains of fully connected layers have in common except the step itself: batches and their
// parts, the learning rate of a step, and the evaluation of the loss.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "implementations/common/mixed_precision/loss_scaling.h"
#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/batch_rows.h"
#include "implementations/strategies/common/column_masks.h"
#include "implementations/strategies/common/evaluation.h"
#include "implementations/strategies/common/exchange.h"
#include "implementations/strategies/common/loss_sum.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/profile.h"
#include "implementations/strategies/common/session.h"
#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies {

// The option by which a strategy that calls the kernels one by one updates parameters: see TrainerBase::add_update.
constexpr gdbench_option kUpdateOption = {
    "update", GDBENCH_OPTION_CHOICE, 0,
    "merged", "merged|each",         "the optimizer's update: one call for all parameters, or a call for each of them"};

// How a trainer differs from most.
struct TrainerForm {
  bool gathers = false;     // as DeviceBatches has it
  bool own_update = false;  // set_update gives what finish_step updates by
};

// What strategies have in common for any kind of step: the session, the parameters and the count of steps.
class TrainerBase : public Strategy {
 public:
  explicit TrainerBase(const Setup& setup, TrainerForm form = {});
  void set_state(const gdbench_state& state) override;
  void get_state(gdbench_state& state) override;
  void sync() override { session_.synchronise(); }
  std::int32_t helper_threads() const override { return 0; }

  // What the calls of a step are made with.
  const gdbench_data& data() const { return setup_.data; }
  const gdbench_problem& problem() const { return setup_.problem; }
  Session& session() final { return session_; }
  Parameters& parameters() { return parameters_; }
  loader::Rank rank() const { return loader::rank_of(setup_.settings); }
  // Appends the update of all parameters: one call, or one for each where the option `update` says so. Nothing where
  // more has to be done with the gradients of a step first, which then ends with finish_step.
  void add_update(Program& program);
  // Also there for a single rank; null without ranks.
  Exchange* exchange() { return exchange_ ? &*exchange_ : nullptr; }
  // Of the task forward.
  LossSum& loss_sum() { return *loss_sum_; }

 protected:
  // Ends a step whose gradients are complete, where add_update did not: they are added up over all ranks and divided by
  // the scale of the loss and, where all are finite, the parameters updated.
  void finish_step() {
    if (finishes_steps()) finish_gradients();
  }
  // The same for a profile.
  void finish_step(CallClock& clock);
  // What finish_step updates by; to be called once, by a trainer with an update of its own.
  void set_update(Program program);
  bool finishes_steps() const { return scaling_ || exchange_; }
  // Steps so far that did not update, as gradients were not finite.
  std::int64_t skipped_steps() const { return scaling_ ? scaling_->skipped() : 0; }

  std::int64_t step_ = 0;

 private:
  void bind_update(Program& program);
  void finish_gradients();
  void count_scaled(bool finite);

  const Setup setup_;
  Session session_;
  Parameters parameters_;
  const bool update_each_;
  std::optional<implementations::LossScaling> scaling_;
  std::optional<Exchange> exchange_;
  std::optional<LossSum> loss_sum_;
  Program exchanging_;  // both of finish_step
  Program updating_;
};

// The task update (gdbench_task in gdbench/plugin.h): a step is the optimizer's update by gradients that are given, and
// nothing else. There are no batches and no passes, so there are no buffers for any.
class UpdateSteps : public TrainerBase {
 public:
  void run(std::uint64_t steps) override;
  // Throws Failure (GDBENCH_UNSUPPORTED): there is no loss.
  double evaluate(std::int32_t split) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  // The parameters' gradients are in place; a derived class makes the program.
  explicit UpdateSteps(const Setup& setup);

  Program program_;  // the calls of a step
};

class UpdateTrainer final : public UpdateSteps {
 public:
  explicit UpdateTrainer(const Setup& setup) : UpdateSteps(setup) {
    add_update(program_);
    parameters().follow_steps(program_);
  }
};

// What a Trainer can do, for the masks of StrategyDescriptor.
constexpr std::uint32_t kTrainerCapabilities =
    GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_STREAM) |
    GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE) | GDBENCH_BIT(GDBENCH_CAPABILITY_MICRO_BATCHES) |
    GDBENCH_BIT(GDBENCH_CAPABILITY_WEIGHT_DECAY) | GDBENCH_BIT(GDBENCH_CAPABILITY_EPSILON_PLACE) |
    GDBENCH_BIT(GDBENCH_CAPABILITY_DROP_LAST);
// Of those that run the ops that normalise.
constexpr std::uint32_t kNormalizations = GDBENCH_BIT(GDBENCH_CAPABILITY_NORMALIZATIONS);
constexpr std::int32_t kTrainerHelperThreads = 1;  // for prefetch

// The option that a strategy declares whose step takes X from Batch::x_matrix, in any layout.
constexpr gdbench_option kFeaturesOption = {
    "features",
    GDBENCH_OPTION_CHOICE,
    0,
    "dense",
    "dense|csr",
    "the first layer's operand: the dense array, or compressed sparse rows made from it without its zeros"};

class Trainer : public TrainerBase {
 public:
  // Throws Failure (GDBENCH_UNSUPPORTED) for csr features on a backend without sparse products, or in micro-batches.
  explicit Trainer(const Setup& setup, TrainerForm form = {});
  double evaluate(std::int32_t split) override;
  std::int32_t helper_threads() const override { return feed_.loader().helper_threads(); }

  BatchFeed& feed() { return feed_; }
  const BatchFeed& feed() const { return feed_; }
  // For the task gradients; null for train, whose step takes the gradient of the whole loss.
  const ColumnMasks* masks() const { return masks_ ? &*masks_ : nullptr; }
  // The parts in which this rank processes its rows of a batch of `rows` rows, and the rows of the largest one of all.
  std::vector<MicroBatch> parts_of(std::int64_t rows) const {
    return micro_batches(rows, problem().micro_batches, rank());
  }
  std::int64_t largest_part() const {
    return largest_micro_batch(problem().batch_rows, problem().micro_batches, rank());
  }
  // Columns of a batch's targets: labels have one.
  std::int64_t target_columns() const;

  // Calls execute(batch) for each of `steps` steps, with the learning rate of the step in place. Where all steps are
  // alike it is called with the same batch and nothing else happens in between.
  template <class Execute>
  void for_each_step(std::uint64_t steps, Execute execute);
  // The same for a program of all the data, which lies where it lay when the program was made.
  void repeat(std::uint64_t steps, const Program& program);
  // The same for a profile, whose calls execute times: the batch and the learning rate are a record of phase data.
  template <class Execute>
  void for_each_profiled_step(std::uint64_t steps, CallClock& clock, Execute execute);
  // For steps that are done by other means: the number of the first one; they count as done.
  std::int64_t count_steps(std::uint64_t steps) {
    return std::exchange(step_, step_ + static_cast<std::int64_t>(steps));
  }

 private:
  bool steps_are_alike() { return feed_.full_batch() && !parameters().varies() && !finishes_steps(); }

  BatchFeed feed_;
  std::optional<ColumnMasks> masks_;          // of the task gradients
  std::optional<Evaluation> evaluations_[2];  // of a split, from its first evaluation on
};

template <class Execute>
void Trainer::for_each_step(std::uint64_t steps, Execute execute) {
  parameters().set_step(step_, skipped_steps());
  if (steps_are_alike()) {
    const Batch batch = feed_.batch(step_);
    for (std::uint64_t i = 0; i < steps; ++i) execute(batch);
    step_ += static_cast<std::int64_t>(steps);
    return;
  }
  feed_.start(step_, steps);
  for (std::uint64_t i = 0; i < steps; ++i) {
    parameters().set_step(step_, skipped_steps());
    execute(feed_.batch(step_));
    finish_step();
    ++step_;
  }
}

template <class Execute>
void Trainer::for_each_profiled_step(std::uint64_t steps, CallClock& clock, Execute execute) {
  feed_.start(step_, steps);
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double start = now_ns();
    parameters().set_step(step_, skipped_steps());
    const Batch batch = feed_.batch(step_);
    if (!session().host_memory()) session().synchronise();  // the transfer is the batch's
    clock.add({"batch", catalogue::Phase::data, {0, feed_.copied_bytes(batch.rows)}, {}}, now_ns() - start);
    execute(batch);
    finish_step(clock);
    clock.end_step();
    ++step_;
  }
}

}  // namespace gdbench::strategies
