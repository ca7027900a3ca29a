#include "implementations/strategies/common/trainer_base.h"

#include "implementations/common/options.h"

namespace gdbench::strategies {

TrainerBase::TrainerBase(const Setup& setup)
    : setup_(setup),
      session_(setup.backend, setup.settings.compute_threads),
      parameters_(session_, setup.problem),
      update_each_(implementations::option_value(setup.settings, kUpdateOption.key) == "each") {}

void TrainerBase::set_state(const gdbench_state& state) {
  parameters_.set_state(state);
  step_ = state.step;
}

void TrainerBase::get_state(gdbench_state& state) {
  parameters_.get_state(state);
  state.step = step_;
}

void TrainerBase::add_update(Program& program) {
  if (update_each_) {
    parameters_.add_update_of_each(program);
  } else {
    parameters_.add_update(program);
  }
}

}  // namespace gdbench::strategies
