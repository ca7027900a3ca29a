// Trains by a region: whole steps, as many as are asked for, as one call of the backend.
#pragma once

#include <optional>
#include <vector>

#include "implementations/strategies/graph/compilation.h"
#include "implementations/strategies/step_windows.h"
#include "implementations/strategies/trainer.h"

namespace gdbench::strategies::graph {

class RegionTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  // The scalars of so many steps are made ahead, where all of them see the same batch.
  static constexpr std::int64_t kMostSteps = 4096;

  kernels::RegionCall* bind(std::int64_t rows);
  void run_call(const BatchFeed::Batch& batch, kernels::Buffer scalars, std::int64_t steps);
  // A call's worth of steps on the one batch there is; at most `wanted`. Returns how many.
  std::int64_t run_together(std::int64_t wanted);

  std::optional<Compilation> compilation_;
  kernels::RegionCall* full_ = nullptr;
  kernels::RegionCall* partial_ = nullptr;
  std::optional<StepWindows> windows_;
  std::vector<kernels::Buffer> buffers_;
};

}  // namespace gdbench::strategies::graph
