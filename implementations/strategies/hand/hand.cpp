#include "implementations/strategies/hand/hand.h"

#include <optional>

#include "implementations/strategies/hand/network.h"
#include "implementations/strategies/prepared_trainer.h"

namespace gdbench::strategies::hand {
namespace {

class Hand final : public PreparedTrainer {
 public:
  using PreparedTrainer::PreparedTrainer;

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;

 private:
  TrainingProgram make_step(const BatchFeed::Batch& batch);

  std::optional<Network> network_;
};

void Hand::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  Trainer::prepare(problem, settings);
  network_.emplace(session(), problem, parameters(), masks());
  full_.emplace(make_step(feed().place(0)));
  if (feed().loader().partial_rows() == 0) return;
  partial_.emplace(make_step(feed().place(feed().loader().steps_per_epoch() - 1)));
}

TrainingProgram Hand::make_step(const BatchFeed::Batch& batch) {
  Program program;
  const Matrix x{batch.x, batch.rows, problem().layers[0].inputs};
  network_->add_forward(program, x);
  network_->add_backward(program, x, {batch.targets, batch.rows, target_columns()});
  parameters().add_update(program);
  return {std::move(program), batch};
}

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "hand",
    .description = "derivatives written by hand, one kernel call after the other",
    .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN) | GDBENCH_BIT(GDBENCH_TASK_GRADIENTS),
    .activations = kTrainerActivations,
    .losses = kTrainerLosses,
    .optimizers = kTrainerOptimizers,
    .capabilities = kTrainerCapabilities,
    .helper_threads = kTrainerHelperThreads,
    .option_count = std::size(kTrainerOptions),
    .options = kTrainerOptions,
    .create = [](const kernels::Backend& backend) -> std::unique_ptr<Strategy> {
      return std::make_unique<Hand>(backend);
    },
};

}  // namespace gdbench::strategies::hand
