// Trains by the gradients of a library (library.h). All else is the native strategies': batches by their loader,
// updates and evaluations by the kernels of a backend.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "implementations/autodiff/common/library.h"
#include "implementations/strategies/common/trainer.h"

namespace gdbench::autodiff {

// The most that a step's tape may take. What a step records is computed from the shapes, before anything is recorded.
constexpr double kTapeLimitBytes = 1e9;

class GradientTrainer final : public strategies::Trainer {
 public:
  // Opens the library. Throws Failure: GDBENCH_UNSUPPORTED where a step's tape would exceed kTapeLimitBytes, where the
  // library is gone since it was built with, and what make_gradient throws.
  GradientTrainer(const strategies::Setup& setup, const Row& row);
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  // A part of a batch, and what follows its gradient: it is added to that of the parts before.
  struct Part {
    strategies::MicroBatch of;
    strategies::Program accumulation;
  };
  std::vector<Part> make_parts(std::int64_t rows);
  const std::vector<Part>& parts_of_batch(std::int64_t rows) const {
    return rows == problem().batch_rows ? full_ : partial_;
  }
  Batch rows_of(const strategies::Batch& batch, const Part& part) const;
  void* gradient_of_part() const { return part_gradient_ != nullptr ? part_gradient_ : gradients_; }

  const Row& row_;
  strategies::Matrix values_;  // all of the block, as the library sees it
  backends::Buffer gradients_ = nullptr;
  backends::Buffer part_gradient_ = nullptr;  // of a batch in parts
  std::vector<Part> full_;                    // of a whole batch and of an epoch's smaller last one
  std::vector<Part> partial_;
  std::unique_ptr<Gradient> gradient_;
  strategies::Program update_;
};

}  // namespace gdbench::autodiff
