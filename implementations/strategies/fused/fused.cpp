#include "implementations/strategies/fused/fused.h"

#include <algorithm>
#include <vector>

#include "implementations/common/failure.h"
#include "implementations/strategies/common/step_windows.h"
#include "implementations/strategies/common/trainer.h"

namespace gdbench::strategies::fused {
namespace {

class Fused final : public Trainer {
 public:
  explicit Fused(const Setup& setup);

  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  backends::RegionCall* bind(std::int64_t rows);
  // Steps from `step` on, as many as one call can do: on batches of one size, in one window.
  std::int64_t steps_of_a_call(std::int64_t step, std::int64_t wanted);
  void run_call(std::int64_t first, std::int64_t steps);

  // Throws Failure (GDBENCH_UNSUPPORTED) where there are none that a region can read.
  DeviceBatches& batches();

  std::int64_t window_;
  StepWindows windows_;
  backends::RegionCall* full_;
  backends::RegionCall* partial_;  // null where all batches are of one size
  std::vector<backends::Buffer> buffers_;
};

Fused::Fused(const Setup& setup)
    : Trainer(setup, true),
      window_(StepWindows::steps_of_a_call(batches().gathered_rows())),
      windows_(session(), parameters(), batches().gathered_rows(), window_),
      full_(bind(problem().batch_rows)),
      partial_(feed().loader().partial_rows() != 0 ? bind(feed().loader().partial_rows()) : nullptr),
      buffers_(
          {batches().all_x(), batches().all_targets(), windows_.index(), windows_.scalars(), parameters().values()}) {
  for (std::size_t slot = 0; slot < parameters().slot_count(); ++slot) {
    buffers_.push_back(parameters().slot_block(slot));
  }
}

DeviceBatches& Fused::batches() {
  DeviceBatches* batches = feed().device();
  if (batches == nullptr) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "fused steps need a backend of a device");
  }
  if (batches->copies()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "fused steps need all data in the device's memory");
  }
  return *batches;
}

backends::RegionCall* Fused::bind(std::int64_t rows) {
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < parameters().parameter_count(); ++i) offsets.push_back(parameters().offset(i));
  backends::TrainingRegion region;
  region.dtype = catalogue::dtype_of(problem());
  region.layers = problem().layers;
  region.layer_count = problem().layer_count;
  region.loss = catalogue::loss_of(problem());
  region.optimizer = problem().optimizer;
  region.rows = rows;
  region.offsets = offsets.data();
  region.block_size = parameters().block_size();
  return session().bind_region(region);
}

std::int64_t Fused::steps_of_a_call(std::int64_t step, std::int64_t wanted) {
  return std::min({steps_alike(feed().loader(), step), wanted, window_});
}

void Fused::run_call(std::int64_t first, std::int64_t steps) {
  windows_.fill(first, steps);
  backends::RegionCall* call = feed().loader().rows(first) == problem().batch_rows ? full_ : partial_;
  call->steps = static_cast<std::uint64_t>(steps);
  call->run(call, buffers_.data(), nullptr);
}

void Fused::run(std::uint64_t steps) {
  const std::int64_t end = step_ + static_cast<std::int64_t>(steps);
  while (step_ < end) {
    const std::int64_t together = steps_of_a_call(step_, end - step_);
    run_call(step_, together);
    step_ += together;
  }
}

void Fused::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  // One call is all phases of all layers, of which no clock outside of it can tell.
  const ProfiledAs region{"training region", catalogue::Phase::other, {}, whole_model(problem())};
  const std::int64_t end = step_ + static_cast<std::int64_t>(steps);
  while (step_ < end) {
    const std::int64_t together = steps_of_a_call(step_, end - step_);
    const double start = now_ns();
    run_call(step_, together);
    session().synchronise();
    profile.add(region, now_ns() - start);
    step_ += together;
  }
  profile.report(sink);
}

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "fused",
    .description = "all steps as one call: on a device one kernel that keeps the model in its shared memory",
    .tasks = bit_of(catalogue::Task::train),
    .activations = catalogue::kAll<catalogue::Activation>,
    .losses = catalogue::kAll<catalogue::Loss>,
    .optimizers = catalogue::kAll<catalogue::OptimizerKind>,
    .capabilities = kTrainerCapabilities & ~GDBENCH_BIT(GDBENCH_CAPABILITY_MICRO_BATCHES),
    .create = make_strategy<Fused>,
};

}  // namespace gdbench::strategies::fused
