#include "implementations/strategies/trainer.h"

#include "implementations/failure.h"

namespace gdbench::strategies {

void Trainer::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  problem_ = &problem;
  session_.emplace(backend_, settings.compute_threads);
  parameters_.emplace(*session_, problem);
  feed_.emplace(*session_, *data_, problem, settings);
  if (problem.task == GDBENCH_TASK_GRADIENTS) {
    const std::int64_t outputs = problem.layers[problem.layer_count - 1].outputs;
    masks_.emplace(*session_, static_cast<gdbench_dtype>(problem.dtype), problem.batch_rows, outputs);
  }
}

void Trainer::set_state(const gdbench_state& state) {
  parameters_->set_state(state);
  step_ = state.step;
}

void Trainer::get_state(gdbench_state& state) {
  parameters_->get_state(state);
  state.step = step_;
}

double Trainer::evaluate(std::int32_t split) {
  const Evaluation::Split rows = Evaluation::split_of(*data_, feed_->loader(), split);
  std::optional<Evaluation>& evaluation = evaluations_[split];
  if (!evaluation) evaluation.emplace(*session_, *problem_, *parameters_, rows);
  return evaluation->run();
}

std::int64_t Trainer::target_columns() const {
  if (problem_->loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) return 1;
  return problem_->layers[problem_->layer_count - 1].outputs;
}

}  // namespace gdbench::strategies
