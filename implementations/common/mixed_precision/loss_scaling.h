// The scale of the loss of dtypes that have one, from step to step: the rule of torch.amp.GradScaler (PyTorch 2) with
// its factors 2 and 1/2.
#pragma once

#include <cstdint>

#include "gdbench/plugin.h"

namespace gdbench::implementations {

class LossScaling {
 public:
  explicit LossScaling(const gdbench_problem& problem) : growth_interval_(problem.scale_growth_interval) {}

  // A power of two.
  float scale() const { return scale_; }
  std::int64_t skipped() const { return skipped_; }

  // After a step, by whether all its gradients were finite.
  void count(bool finite) {
    if (!finite) {
      ++skipped_;
      updates_ = 0;
      scale_ /= 2;
    } else if (++updates_ == growth_interval_) {
      updates_ = 0;
      scale_ *= 2;
    }
  }

  // Leaves others' states alone.
  void set_state(const gdbench_state& state) {
    if (state.loss_scaling == nullptr) return;
    scale_ = state.loss_scaling[0];
    updates_ = static_cast<std::int64_t>(state.loss_scaling[1]);
    skipped_ = static_cast<std::int64_t>(state.loss_scaling[2]);
  }
  void get_state(gdbench_state& state) const {
    if (state.loss_scaling == nullptr) return;
    state.loss_scaling[0] = scale_;
    state.loss_scaling[1] = static_cast<float>(updates_);
    state.loss_scaling[2] = static_cast<float>(skipped_);
  }

 private:
  std::int64_t growth_interval_;
  float scale_ = 1;
  std::int64_t updates_ = 0;  // since the scale last changed
  std::int64_t skipped_ = 0;
};

}  // namespace gdbench::implementations
