#include "implementations/strategies/hand/hand.h"

#include <iterator>
#include <optional>
#include <vector>

#include "implementations/strategies/common/prepared_steps.h"
#include "implementations/strategies/common/update_trainer.h"
#include "implementations/strategies/hand/network.h"

namespace gdbench::strategies::hand {
namespace {

class Hand final : public Trainer {
 public:
  explicit Hand(const Setup& setup)
      : Trainer(setup),
        network_(session(), problem(), parameters(), masks(), largest_part()),
        steps_(*this, make_step(feed().place(0)), make_partial_step()) {}

  void run(std::uint64_t steps) override { steps_.run(steps); }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override { steps_.profile(steps, sink); }

 private:
  TrainingProgram make_step(const BatchFeed::Batch& batch);
  std::optional<TrainingProgram> make_partial_step() {
    if (feed().loader().partial_rows() == 0) return std::nullopt;
    return make_step(feed().place(feed().loader().steps_per_epoch() - 1));
  }

  Network network_;
  PreparedSteps steps_;
};

TrainingProgram Hand::make_step(const BatchFeed::Batch& batch) {
  Program program;
  const std::vector<MicroBatch> parts = parts_of(batch.rows);
  for (const MicroBatch& part : parts) {
    const BatchFeed::Batch rows = feed().part(batch, part);
    const Matrix x = rows.x_matrix(problem().layers[0].inputs);
    network_.add_forward(program, x);
    network_.add_backward(program, x, {rows.targets, rows.rows, target_columns()}, part.weight, part.first > 0);
  }
  add_update(program);
  return {std::move(program), feed(), batch, parts};
}

const gdbench_option kOptions[] = {loader::kLoaderOption, loader::kPrefetchOption, kUpdateOption, kFeaturesOption};

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "hand",
    .description = "derivatives written by hand, one kernel call after the other",
    .tasks = bit_of(catalogue::Task::train) | bit_of(catalogue::Task::update) | bit_of(catalogue::Task::gradients),
    .activations = catalogue::kAll<catalogue::Activation>,
    .losses = catalogue::kAll<catalogue::Loss>,
    .optimizers = catalogue::kAll<catalogue::OptimizerKind>,
    .capabilities = kTrainerCapabilities,
    .helper_threads = kTrainerHelperThreads,
    .option_count = static_cast<std::int64_t>(std::size(kOptions)),
    .options = kOptions,
    .create = make_strategy<Hand>,
    .create_update = make_strategy<UpdateTrainer>,
};

}  // namespace gdbench::strategies::hand
