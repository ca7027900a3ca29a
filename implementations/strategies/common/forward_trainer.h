// The task forward with all calls made beforehand: the passes that a training step begins with, and their loss.
#pragma once

#include "implementations/strategies/common/forward_pass.h"
#include "implementations/strategies/common/prepared_steps.h"
#include "implementations/strategies/common/trainer.h"

namespace gdbench::strategies {

class ForwardTrainer final : public Trainer {
 public:
  explicit ForwardTrainer(const Setup& setup);

  void run(std::uint64_t steps) override { steps_.run(steps); }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override { steps_.profile(steps, sink); }

 private:
  TrainingProgram make_step(const Batch& batch);

  ForwardPass forward_;
  backends::Buffer loss_;
  PreparedSteps steps_;
};

}  // namespace gdbench::strategies
