#include <bit>
#include <cstdint>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/tiny_region.h"

namespace gdbench::backends::cuda {
namespace {

template <class T, int kFeatures, int kRows>
OwnedCall* bind_program(Context& context, const TrainingRegion& region) {
  const gdbench_layer& layer = region.layers[0];
  const gdbench_optimizer& optimizer = *region.optimizer;
  TinyProgram<T, kFeatures, kRows> program{.features = static_cast<int>(layer.inputs),
                                           .rows = static_cast<int>(region.rows),
                                           .lanes = 1,
                                           .has_bias = layer.has_bias != 0,
                                           .weights = static_cast<int>(region.offsets[0]),
                                           .bias = layer.has_bias != 0 ? static_cast<int>(region.offsets[1]) : 0,
                                           .slot_count = 0,
                                           .scale = static_cast<T>(loss_gradient_scale(region.loss, region.rows, 1)),
                                           .constants = UpdateConstants<T>(optimizer),
                                           .optimizer = catalogue::kind_of(optimizer),
                                           .decay = decay_of(optimizer),
                                           .scalars_vary = region.scalars_vary};
  program.lanes = static_cast<int>(std::bit_ceil(static_cast<unsigned>((program.rows + kRows - 1) / kRows)));
  program.slot_count = static_cast<int>(catalogue::slot_count(program.optimizer));
  return make_call(context, "tiny region", [program](Context& to, const Buffer* buffers, std::uint64_t steps) {
    auto run = program;
    run.x = data<const T>(buffers[0]);
    run.targets = data<const T>(buffers[1]);
    run.scalars = data<const UpdateScalars>(buffers[3]);
    run.parameters = data<T>(buffers[4]);
    for (int s = 0; s < run.slot_count; ++s) run.slots[s] = data<T>(buffers[5 + s]);
    run.steps = steps;
    launch_tiny(to.stream, run);
  });
}

// Rows of a lane: as few lanes as possible, because each doubling of them costs an exchange of gradients, and no more
// registers than there are.
template <class T, int kFeatures>
OwnedCall* bind_features(Context& context, const TrainingRegion& region) {
  constexpr std::size_t kMostBytes = 256;
  if (region.rows <= kLanes) {
    return region.rows <= 4 ? bind_program<T, kFeatures, 4>(context, region)
                            : bind_program<T, kFeatures, 1>(context, region);
  }
  if (region.rows <= 4 * kLanes) return bind_program<T, kFeatures, 4>(context, region);
  if constexpr (16 * kFeatures * sizeof(T) <= kMostBytes) {
    if (region.rows <= 16 * kLanes) return bind_program<T, kFeatures, 16>(context, region);
  }
  return nullptr;
}

template <class T>
OwnedCall* bind_of(Context& context, const TrainingRegion& region) {
  const std::int64_t features = region.layers[0].inputs;
  if (features <= 2) return bind_features<T, 2>(context, region);
  if (features <= 4) return bind_features<T, 4>(context, region);
  if (features <= 8) return bind_features<T, 8>(context, region);
  return nullptr;
}

}  // namespace

OwnedCall* bind_tiny_region(Context& context, const TrainingRegion& region) {
  const gdbench_layer& layer = region.layers[0];
  const bool linear_regression = region.layer_count == 1 && layer.outputs == 1 &&
                                 catalogue::activation_of(layer) == Activation::identity &&
                                 is_squared_error(region.loss);
  if (!linear_regression || region.gathers) return nullptr;
  return catalogue::with_element(region.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, region); });
}

}  // namespace gdbench::backends::cuda
