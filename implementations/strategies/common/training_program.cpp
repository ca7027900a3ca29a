#include "implementations/strategies/common/training_program.h"

namespace gdbench::strategies {

TrainingProgram::TrainingProgram(Program program, const BatchFeed& feed, const BatchFeed::Batch& batch,
                                 const std::vector<MicroBatch>& parts)
    : program_(std::move(program)), feed_(&feed) {
  for (const MicroBatch& part : parts) {
    const BatchFeed::Batch rows = feed.part(batch, part);
    places_.push_back({part, program_.occurrences(rows.x), program_.occurrences(rows.targets)});
  }
}

}  // namespace gdbench::strategies
