// What strategies have in common that make a step's calls in prepare, once for each size of batch, and then only run
// them.
#pragma once

#include <optional>

#include "implementations/strategies/trainer.h"
#include "implementations/strategies/training_program.h"

namespace gdbench::strategies {

class PreparedTrainer : public Trainer {
 public:
  using Trainer::Trainer;

  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  // Both are a strategy's to make in prepare; the second where the last batch of an epoch is a smaller one.
  std::optional<TrainingProgram> full_;
  std::optional<TrainingProgram> partial_;

 private:
  // The step's calls with its batch in place.
  const Program& program_for(const BatchFeed::Batch& batch);
};

}  // namespace gdbench::strategies
