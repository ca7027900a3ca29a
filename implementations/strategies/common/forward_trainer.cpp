#include "implementations/strategies/common/forward_trainer.h"

namespace gdbench::strategies {

ForwardTrainer::ForwardTrainer(const Setup& setup)
    : Trainer(setup),
      forward_(session(), problem(), parameters(), largest_part()),
      loss_(session().allocate(sizeof(double))),
      steps_(*this, [this](const Batch& batch) { return make_step(batch); }) {}

TrainingProgram ForwardTrainer::make_step(const Batch& batch) {
  Program program;
  const std::vector<MicroBatch> parts = parts_of(batch.whole_rows);
  for (const MicroBatch& part : parts) {
    const Batch rows = feed().part(batch, part);
    forward_.add(program, rows.x_matrix(problem().layers[0].inputs));
    forward_.add_loss(program, {rows.targets, rows.rows, target_columns()}, {loss_, 1, 1}, part.weight);
    loss_sum().add(program, loss_);
  }
  return {std::move(program), feed(), batch, parts};
}

}  // namespace gdbench::strategies
