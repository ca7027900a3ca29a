// Steps whose calls are all made beforehand, once for each size of batch, and then only run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/trainer.h"

namespace gdbench::strategies {

// The calls of one training step on batches of one size, and where the batch's addresses go.
class TrainingProgram {
 public:
  // `program` was made for `batch`, processed in `parts`, with its own buffers. `feed` made the batch and outlives it.
  TrainingProgram(Program program, const BatchFeed& feed, const Batch& batch, const std::vector<MicroBatch>& parts);

  // Puts another batch of the same size in place.
  void take(const Batch& batch) {
    for (const Places& places : places_) {
      const Batch rows = feed_->part(batch, places.part);
      for (backends::Buffer* place : places.x) *place = rows.x;
      for (backends::Buffer* place : places.targets) *place = rows.targets;
    }
  }
  // As Parameters has it.
  void follow_steps(Parameters& parameters) { parameters.follow_steps(program_); }
  // Where `buffer` is an operand.
  std::vector<backends::Buffer*> occurrences(backends::Buffer buffer) { return program_.occurrences(buffer); }
  const Program& program() const { return program_; }

 private:
  struct Places {
    MicroBatch part;
    std::vector<backends::Buffer*> x;
    std::vector<backends::Buffer*> targets;
  };
  Program program_;
  const BatchFeed* feed_;
  std::vector<Places> places_;
};

// Training steps that a device was given once, to be done again without the host: the calls of several steps are
// recorded as one, and a run replays them. What differs from step to step, the rows of a batch and the scalars of an
// update, is read from windows in the device's memory, which are filled before a replay.
class StepRecording {
 public:
  // Records steps on whole batches; `partial`, of an epoch's smaller last batch, is run call by call and may be null.
  // The programs' steps are run once, on what the buffers hold. All arguments outlive this. Throws Failure: what
  // the session's recording says; GDBENCH_UNSUPPORTED where batches are copied in each step.
  StepRecording(Trainer& trainer, TrainingProgram& full, TrainingProgram* partial);

  // Steps `first` to `first` + `steps` - 1.
  void run(std::int64_t first, std::uint64_t steps);

 private:
  // The steps of each recording; the longest one that fits is replayed: a run's remainder takes a few launches.
  static constexpr std::array<std::int64_t, 3> kSteps = {64, 8, 1};

  const backends::Recording* record(std::int64_t steps);

  Trainer& trainer_;
  TrainingProgram& full_;
  TrainingProgram* partial_;
  StepWindows windows_;
  std::array<const backends::Recording*, kSteps.size()> recordings_{};
};

class PreparedSteps {
 public:
  // `make` makes the step on a batch: on a full one, and on a smaller one where the last of an epoch is. `records`:
  // steps are recorded on the device and replayed. `trainer` outlives this.
  PreparedSteps(Trainer& trainer, const std::function<TrainingProgram(const Batch&)>& make, bool records = false);
  PreparedSteps(const PreparedSteps&) = delete;  // the recording refers to the programs
  PreparedSteps& operator=(const PreparedSteps&) = delete;

  // As Strategy has them.
  void run(std::uint64_t steps);
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink);

 private:
  // The step's calls with its batch in place.
  const Program& program_for(const Batch& batch);

  Trainer& trainer_;
  TrainingProgram full_;
  std::optional<TrainingProgram> partial_;
  std::optional<StepRecording> recording_;
};

}  // namespace gdbench::strategies
