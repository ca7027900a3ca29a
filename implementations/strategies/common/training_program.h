// The calls of one training step on batches of one size, and where the batch's addresses go.
#pragma once

#include <vector>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/program.h"

namespace gdbench::strategies {

class TrainingProgram {
 public:
  // `program` was made for `batch`, processed in `parts`, whose buffers are nothing else's. `feed` made the batch and
  // outlives this.
  TrainingProgram(Program program, const BatchFeed& feed, const BatchFeed::Batch& batch,
                  const std::vector<MicroBatch>& parts);

  // Puts another batch of the same size in place.
  void take(const BatchFeed::Batch& batch) {
    for (const Places& places : places_) {
      const BatchFeed::Batch rows = feed_->part(batch, places.part);
      for (backends::Buffer* place : places.x) *place = rows.x;
      for (backends::Buffer* place : places.targets) *place = rows.targets;
    }
  }
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

}  // namespace gdbench::strategies
