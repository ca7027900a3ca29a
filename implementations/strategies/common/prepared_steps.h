// Steps whose calls are all made beforehand, once for each size of batch, and then only run.
#pragma once

#include <cstdint>
#include <optional>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/session.h"
#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/trainer.h"
#include "implementations/strategies/common/training_program.h"

namespace gdbench::strategies {

// Training steps that a device was given once, to be done again without the host: the calls of several steps are
// recorded as one, and a run replays them. What differs from step to step, the rows of a batch and the scalars of an
// update, is read from windows in the device's memory, which are filled before a replay.

class StepRecording {
 public:
  // Records steps on whole batches; `partial`, of an epoch's smaller last batch, is run call by call and may be null.
  // The programs' steps are run once, on whatever the buffers hold. All arguments outlive this. Throws Failure: what
  // the session's recording says; GDBENCH_UNSUPPORTED where batches are copied in each step.
  StepRecording(Session& session, Parameters& parameters, BatchFeed& feed, TrainingProgram& full,
                TrainingProgram* partial);

  // Steps `first` to `first` + `steps` - 1.
  void run(std::int64_t first, std::uint64_t steps);

 private:
  // A recording of kSteps steps saves most of what launching it costs; one of a single step is for what is left over.
  static constexpr std::int64_t kSteps = 32;

  const backends::Recording* record(std::int64_t steps);
  void run_partial(std::int64_t step);

  Session& session_;
  Parameters& parameters_;
  BatchFeed& feed_;
  TrainingProgram& full_;
  TrainingProgram* partial_;
  std::int64_t batch_rows_;
  StepWindows windows_;
  const backends::Recording* many_ = nullptr;
  const backends::Recording* one_ = nullptr;
};

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
