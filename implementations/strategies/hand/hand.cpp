#include "implementations/strategies/hand/hand.h"

#include <optional>

#include "implementations/strategies/hand/network.h"
#include "implementations/strategies/trainer.h"
#include "implementations/strategies/training_program.h"

namespace gdbench::strategies::hand {
namespace {

class Hand final : public Trainer {
 public:
  using Trainer::Trainer;

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  TrainingProgram make_step(const BatchFeed::Batch& batch);
  // The step's calls with its batch in place.
  const Program& program_for(const BatchFeed::Batch& batch) {
    TrainingProgram& step = batch.rows == problem().batch_rows ? *full_ : *partial_;
    step.take(batch);
    return step.program();
  }

  std::optional<Network> network_;
  std::optional<TrainingProgram> full_;
  std::optional<TrainingProgram> partial_;  // the smaller last batch of an epoch
};

void Hand::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  Trainer::prepare(problem, settings);
  network_.emplace(session(), problem, parameters(), masks());
  full_.emplace(make_step(feed().batch(0)));
  if (feed().loader().partial_rows() == 0) return;
  partial_.emplace(make_step(feed().batch(feed().loader().steps_per_epoch() - 1)));
}

TrainingProgram Hand::make_step(const BatchFeed::Batch& batch) {
  Program program;
  const Matrix x{batch.x, batch.rows, problem().layers[0].inputs};
  network_->add_forward(program, x);
  network_->add_backward(program, x, {batch.targets, batch.rows, target_columns()});
  parameters().add_update(program);
  return {std::move(program), batch};
}

void Hand::run(std::uint64_t steps) {
  // A batch that is all the data lies where it lay when the program was made.
  if (feed().loader().full_batch()) {
    for_each_step(steps, [&program = full_->program()](const BatchFeed::Batch&) { program.run(); });
  } else {
    for_each_step(steps, [this](const BatchFeed::Batch& batch) { program_for(batch).run(); });
  }
}

void Hand::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  for_each_profiled_step(steps, profile,
                         [&](const BatchFeed::Batch& batch) { program_for(batch).run_profiled(session(), profile); });
  profile.report(sink);
}

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "hand",
    .description = "derivatives written by hand, one kernel call after the other",
    .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN) | GDBENCH_BIT(GDBENCH_TASK_GRADIENTS),
    .activations = GDBENCH_BIT(GDBENCH_IDENTITY) | GDBENCH_BIT(GDBENCH_RELU) | GDBENCH_BIT(GDBENCH_TANH) |
                   GDBENCH_BIT(GDBENCH_SIGMOID),
    .losses = GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE) | GDBENCH_BIT(GDBENCH_SOFTMAX_CROSS_ENTROPY),
    .optimizers = GDBENCH_BIT(GDBENCH_SGD) | GDBENCH_BIT(GDBENCH_MOMENTUM) | GDBENCH_BIT(GDBENCH_NESTEROV) |
                  GDBENCH_BIT(GDBENCH_ADAGRAD) | GDBENCH_BIT(GDBENCH_RMSPROP) | GDBENCH_BIT(GDBENCH_ADAM) |
                  GDBENCH_BIT(GDBENCH_ADAMW),
    .capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE),
    .create = [](const kernels::Backend& backend) -> std::unique_ptr<Strategy> {
      return std::make_unique<Hand>(backend);
    },
};

}  // namespace gdbench::strategies::hand
