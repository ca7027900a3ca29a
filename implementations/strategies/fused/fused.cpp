#include "implementations/strategies/fused/fused.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "implementations/failure.h"
#include "implementations/strategies/trainer.h"

namespace gdbench::strategies::fused {
namespace {

class Fused final : public Trainer {
 public:
  explicit Fused(const kernels::Backend& backend) : Trainer(backend, true) {}

  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  // What a call reads that differs from step to step lies in windows of so many steps: a mebibyte of row numbers at
  // most.
  static constexpr std::int64_t kMostSteps = 4096;
  static constexpr std::int64_t kMostRowNumbers = std::int64_t{1} << 18;

  kernels::RegionCall* bind(std::int64_t rows);
  // Steps from `step` on, as many as one call can do: on batches of one size, in one window.
  std::int64_t steps_of_a_call(std::int64_t step, std::int64_t wanted);
  void run_call(std::int64_t first, std::int64_t steps);

  DeviceBatches& batches() { return *feed().device(); }

  kernels::RegionCall* full_ = nullptr;
  kernels::RegionCall* partial_ = nullptr;
  std::int64_t window_ = 1;
  bool gathers_ = false;
  bool scalars_filled_ = false;
  kernels::Buffer scalars_ = nullptr;
  kernels::Buffer index_ = nullptr;
  std::vector<kernels::UpdateScalars> host_scalars_;
  std::vector<std::uint32_t> host_index_;
  std::vector<kernels::Buffer> buffers_;
};

void Fused::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  Trainer::prepare(problem, settings);
  if (feed().device() == nullptr) throw implementations::Failure(GDBENCH_UNSUPPORTED, "fused steps but on a device");
  if (batches().copies()) throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches copied in each fused step");
  full_ = bind(problem.batch_rows);
  if (feed().loader().partial_rows() != 0) partial_ = bind(feed().loader().partial_rows());
  gathers_ = batches().gathers();
  window_ = gathers_ ? std::clamp<std::int64_t>(kMostRowNumbers / problem.batch_rows, 1, kMostSteps) : kMostSteps;
  host_scalars_.resize(static_cast<std::size_t>(window_));
  scalars_ = session().allocate(host_scalars_.size() * sizeof(kernels::UpdateScalars));
  if (gathers_) {
    host_index_.resize(static_cast<std::size_t>(window_ * problem.batch_rows));
    index_ = session().allocate(host_index_.size() * sizeof(std::uint32_t));
  }
  buffers_ = {batches().all_x(), batches().all_targets(), index_, scalars_, parameters().values()};
  for (std::size_t slot = 0; slot < parameters().slot_count(); ++slot) {
    buffers_.push_back(parameters().slot_block(slot));
  }
}

kernels::RegionCall* Fused::bind(std::int64_t rows) {
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < parameters().parameter_count(); ++i) offsets.push_back(parameters().offset(i));
  kernels::TrainingRegion region;
  region.dtype = static_cast<gdbench_dtype>(problem().dtype);
  region.layers = problem().layers;
  region.layer_count = problem().layer_count;
  region.loss = static_cast<gdbench_loss>(problem().loss);
  region.optimizer = problem().optimizer;
  region.rows = rows;
  region.offsets = offsets.data();
  region.block_size = parameters().block_size();
  return session().bind_region(region);
}

std::int64_t Fused::steps_of_a_call(std::int64_t step, std::int64_t wanted) {
  std::int64_t alike = std::numeric_limits<std::int64_t>::max();
  if (partial_ != nullptr) {
    const std::int64_t epoch = feed().loader().steps_per_epoch();
    alike = std::max<std::int64_t>(epoch - 1 - step % epoch, 1);
  }
  return std::min({alike, wanted, window_});
}

void Fused::run_call(std::int64_t first, std::int64_t steps) {
  const std::int64_t epoch = feed().loader().steps_per_epoch();
  const bool whole = partial_ == nullptr || first % epoch != epoch - 1;
  if (parameters().varies() || !scalars_filled_) {
    // Where they do not vary, they are the same for all windows to come.
    const std::int64_t count = parameters().varies() ? steps : window_;
    for (std::int64_t i = 0; i < count; ++i)
      host_scalars_[static_cast<std::size_t>(i)] = parameters().scalars_of(first + i);
    session().enqueue_upload(scalars_, host_scalars_.data(),
                             static_cast<std::size_t>(count) * sizeof(kernels::UpdateScalars));
    scalars_filled_ = true;
  }
  if (gathers_) {
    const std::int64_t rows = whole ? problem().batch_rows : feed().loader().partial_rows();
    for (std::int64_t i = 0; i < steps; ++i) {
      std::copy_n(batches().index(first + i), rows, host_index_.data() + i * rows);
    }
    session().enqueue_upload(index_, host_index_.data(),
                             static_cast<std::size_t>(steps * rows) * sizeof(std::uint32_t));
  }
  kernels::RegionCall* call = whole ? full_ : partial_;
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
  const std::int64_t end = step_ + static_cast<std::int64_t>(steps);
  while (step_ < end) {
    const std::int64_t together = steps_of_a_call(step_, end - step_);
    const double start = now_ns();
    run_call(step_, together);
    session().synchronise();
    // One call is all phases, of which no clock outside of it can tell.
    profile.add("training region", GDBENCH_PHASE_OTHER, now_ns() - start, {});
    step_ += together;
  }
  profile.report(sink);
}

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "fused",
    .description = "all steps as one call: on a device one kernel that keeps the model in its shared memory",
    .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN),
    .activations = kTrainerActivations,
    .losses = kTrainerLosses,
    .optimizers = kTrainerOptimizers,
    .capabilities = kTrainerCapabilities & ~GDBENCH_BIT(GDBENCH_CAPABILITY_MICRO_BATCHES),
    .create = make_strategy<Fused>,
};

}  // namespace gdbench::strategies::fused
