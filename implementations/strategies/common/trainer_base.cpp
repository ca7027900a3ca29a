#include "implementations/strategies/common/trainer_base.h"

#include "implementations/common/options.h"

namespace gdbench::strategies {

void TrainerBase::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  problem_ = &problem;
  session_.emplace(backend_, settings.compute_threads);
  parameters_.emplace(*session_, problem);
  update_each_ = implementations::option_value(settings, kUpdateOption.key) == "each";
}

void TrainerBase::set_state(const gdbench_state& state) {
  parameters_->set_state(state);
  step_ = state.step;
}

void TrainerBase::get_state(gdbench_state& state) {
  parameters_->get_state(state);
  state.step = step_;
}

void TrainerBase::add_update(Program& program) {
  if (update_each_) {
    parameters_->add_update_of_each(program);
  } else {
    parameters_->add_update(program);
  }
}

}  // namespace gdbench::strategies
