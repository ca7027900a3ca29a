// Steps whose calls are all made beforehand, once for each size of batch, and then only run.
#pragma once

#include <optional>

#include "implementations/strategies/common/step_recording.h"
#include "implementations/strategies/common/trainer.h"
#include "implementations/strategies/common/training_program.h"

namespace gdbench::strategies {

class PreparedSteps {
 public:
  // `partial` where the last batch of an epoch is a smaller one. `records`: steps are recorded on the device and
  // replayed. `trainer` outlives this.
  PreparedSteps(Trainer& trainer, TrainingProgram full, std::optional<TrainingProgram> partial, bool records = false);
  PreparedSteps(const PreparedSteps&) = delete;  // the recording refers to the programs
  PreparedSteps& operator=(const PreparedSteps&) = delete;

  // As Strategy has them.
  void run(std::uint64_t steps);
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink);

 private:
  // The step's calls with its batch in place.
  const Program& program_for(const BatchFeed::Batch& batch);

  Trainer& trainer_;
  TrainingProgram full_;
  std::optional<TrainingProgram> partial_;
  std::optional<StepRecording> recording_;
};

}  // namespace gdbench::strategies
