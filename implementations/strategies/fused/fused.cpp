#include "implementations/strategies/fused/fused.h"

#include <vector>

#include "implementations/common/failure.h"
#include "implementations/strategies/common/region_trainer.h"

namespace gdbench::strategies::fused {
namespace {

class Fused final : public RegionTrainer {
 public:
  explicit Fused(const Setup& setup) : RegionTrainer(setup, {.gathers = true}) {
    DeviceBatches* batches = feed().device();
    if (batches == nullptr) {
      throw implementations::Failure(GDBENCH_UNSUPPORTED, "fused steps need a backend of a device");
    }
    if (batches->copies()) {
      throw implementations::Failure(GDBENCH_UNSUPPORTED, "fused steps need all data in the device's memory");
    }
    prepare(batches->gathered_rows(), [this](std::int64_t rows) { return bind(rows); });
    set_batch(batches->all_x(), batches->all_targets());
  }

 private:
  backends::RegionCall* bind(std::int64_t rows) {
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < parameters().parameter_count(); ++i) offsets.push_back(parameters().offset(i));
    return session().bind_region({.dtype = catalogue::dtype_of(problem()),
                                  .layers = problem().layers,
                                  .layer_count = problem().layer_count,
                                  .loss = catalogue::loss_of(problem()),
                                  .optimizer = problem().optimizer,
                                  .rows = rows,
                                  .offsets = offsets.data(),
                                  .block_size = parameters().block_size(),
                                  .gathers = feed().device()->gathered_rows() != nullptr,
                                  .scalars_vary = parameters().varies()});
  }
};

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "fused",
    .description = "all steps as one call: on a device one kernel that keeps the model in its shared memory",
    .tasks = bit_of(catalogue::Task::train),
    .dtypes = catalogue::kUniformDtypes,
    .capabilities = kTrainerCapabilities & ~GDBENCH_BIT(GDBENCH_CAPABILITY_MICRO_BATCHES),
    .create = make_strategy<Fused>,
};

}  // namespace gdbench::strategies::fused
