// What strategies have in common that make a step's calls in prepare, once for each size of batch, and then only run
// them.
#pragma once

#include <optional>

#include "implementations/strategies/common/step_recording.h"
#include "implementations/strategies/common/trainer.h"
#include "implementations/strategies/common/training_program.h"

namespace gdbench::strategies {

class PreparedTrainer : public Trainer {
 public:
  // `records`: steps are recorded on the device and replayed.
  explicit PreparedTrainer(const backends::Backend& backend, bool records = false)
      : Trainer(backend, records), records_(records) {}

  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  // Both are a strategy's to make in prepare, which ends with finish; the second where the last batch of an epoch is a
  // smaller one.
  std::optional<TrainingProgram> full_;
  std::optional<TrainingProgram> partial_;

  void finish();

 private:
  // The step's calls with its batch in place.
  const Program& program_for(const BatchFeed::Batch& batch);

  bool records_;
  std::optional<StepRecording> recording_;
};

}  // namespace gdbench::strategies
