// The task update (gdbench_task in gdbench/plugin.h): a step is the optimizer's update by gradients that are given, and
// nothing else. There are no batches and no passes, so there are no buffers for any.
#pragma once

#include "implementations/strategies/common/trainer_base.h"

namespace gdbench::strategies {

class UpdateTrainer : public TrainerBase {
 public:
  using TrainerBase::TrainerBase;

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void run(std::uint64_t steps) override;
  // Throws Failure (GDBENCH_UNSUPPORTED): there is no loss.
  double evaluate(std::int32_t split) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  // Appends the calls of a step. The parameters' gradients are in place.
  virtual void add_step(Program& program, const gdbench_settings& settings);

 private:
  Program program_;
};

}  // namespace gdbench::strategies
