// The calls of one training step on batches of one size, and where the batch's addresses go.
#pragma once

#include <vector>

#include "implementations/strategies/batch_feed.h"
#include "implementations/strategies/program.h"

namespace gdbench::strategies {

class TrainingProgram {
 public:
  // `program` was made for `batch`, whose buffers are nothing else's.
  TrainingProgram(Program program, const BatchFeed::Batch& batch)
      : program_(std::move(program)),
        x_places_(program_.occurrences(batch.x)),
        target_places_(program_.occurrences(batch.targets)) {}

  // Puts another batch of the same size in place.
  void take(const BatchFeed::Batch& batch) {
    for (kernels::Buffer* place : x_places_) *place = batch.x;
    for (kernels::Buffer* place : target_places_) *place = batch.targets;
  }
  const Program& program() const { return program_; }

 private:
  Program program_;
  std::vector<kernels::Buffer*> x_places_;
  std::vector<kernels::Buffer*> target_places_;
};

}  // namespace gdbench::strategies
