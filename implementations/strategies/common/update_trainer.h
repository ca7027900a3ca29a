// The task update (gdbench_task in gdbench/plugin.h): a step is the optimizer's update by gradients that are given, and
// nothing else. There are no batches and no passes, so there are no buffers for any.
#pragma once

#include "implementations/strategies/common/trainer.h"

namespace gdbench::strategies {

class UpdateSteps : public TrainerBase {
 public:
  void run(std::uint64_t steps) override;
  // Throws Failure (GDBENCH_UNSUPPORTED): there is no loss.
  double evaluate(std::int32_t split) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  // The parameters' gradients are in place; whoever derives from this makes the program.
  explicit UpdateSteps(const Setup& setup);

  Program program_;  // the calls of a step
};

class UpdateTrainer final : public UpdateSteps {
 public:
  explicit UpdateTrainer(const Setup& setup) : UpdateSteps(setup) { add_update(program_); }
};

}  // namespace gdbench::strategies
