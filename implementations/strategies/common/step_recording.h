// Training steps that a device was given once, to be done again without the host: the calls of several steps are
// recorded as one, and a run replays them. What differs from step to step, the rows of a batch and the scalars of an
// update, is read from windows in the device's memory, which are filled before a replay.
#pragma once

#include <cstdint>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/session.h"
#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/training_program.h"

namespace gdbench::strategies {

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

}  // namespace gdbench::strategies
