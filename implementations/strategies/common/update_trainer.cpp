#include "implementations/strategies/common/update_trainer.h"

#include "implementations/common/failure.h"
#include "implementations/loader/loader_settings.h"
#include "implementations/strategies/common/profile.h"

namespace gdbench::strategies {

UpdateSteps::UpdateSteps(const Setup& setup) : TrainerBase(setup) {
  // An option that changes nothing is refused: a cell is what its id says.
  if (!loader::is_default(loader::read_loader_settings(setup.settings))) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "the task update has no batches, so no loader or prefetch");
  }
  parameters().set_gradients(data().x);
}

void UpdateSteps::run(std::uint64_t steps) {
  const bool varies = parameters().varies();
  parameters().set_step(step_);
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (varies) parameters().set_step(step_);
    program_.run();
    ++step_;
  }
}

double UpdateSteps::evaluate(std::int32_t /*split*/) {
  throw implementations::Failure(GDBENCH_UNSUPPORTED, "the task update has no loss");
}

void UpdateSteps::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double start = now_ns();
    parameters().set_step(step_);
    profile.add({"scalars", catalogue::Phase::update, {}, {}}, now_ns() - start);
    program_.run_profiled(session(), profile);
    ++step_;
  }
  profile.report(sink);
}

}  // namespace gdbench::strategies
