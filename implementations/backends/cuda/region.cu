#include <algorithm>
#include <limits>
#include <string>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/grid_launch.h"
#include "implementations/backends/cuda/region.h"
#include "implementations/backends/cuda/scratch.h"

namespace gdbench::backends::cuda {
namespace {

// Rows of a block: enough to keep its threads busy, few enough that many processors share a batch. An estimate, until
// it is measured on a device.
constexpr std::int64_t kRowsOfABlock = 64;

// In entries; 0 where the sizes are beyond what the program counts with.
template <class T>
std::int64_t lay_out(const TrainingRegion& region, std::int64_t blocks, RegionShape<T>& shape) {
  const std::int64_t tile = (region.rows + blocks - 1) / blocks;
  const std::int64_t kept =
      region.block_size * static_cast<std::int64_t>(1 + catalogue::slot_count(catalogue::kind_of(*region.optimizer)));
  std::int64_t next = kept;
  shape.gradients = static_cast<int>(next);
  next += region.block_size;
  shape.x = static_cast<int>(next);
  next += tile * region.layers[0].inputs;
  std::int64_t widest = 0;
  std::int64_t parameter = 0;
  for (std::int64_t l = 0; l < region.layer_count; ++l) {
    const gdbench_layer& layer = region.layers[l];
    RegionLayer& own = shape.layers[l];
    own.inputs = static_cast<int>(layer.inputs);
    own.outputs = static_cast<int>(layer.outputs);
    own.activation = catalogue::activation_of(layer);
    own.weights = static_cast<int>(region.offsets[parameter++]);
    own.bias = layer.has_bias != 0 ? static_cast<int>(region.offsets[parameter++]) : -1;
    own.activations = static_cast<int>(next);
    next += tile * layer.outputs;
    own.told_by = own.activations;
    if (catalogue::reads_input(own.activation)) {
      own.told_by = static_cast<int>(next);
      next += tile * layer.outputs;
    }
    widest = std::max(widest, layer.outputs);
  }
  for (int& delta : shape.deltas) {
    delta = static_cast<int>(next);
    next += tile * widest;
  }
  shape.layer_count = static_cast<int>(region.layer_count);
  shape.loss = region.loss;
  shape.huber_delta = static_cast<T>(region.loss.huber_delta);
  shape.labels = takes_labels(region.loss);
  shape.rows = static_cast<int>(region.rows);
  shape.tile_rows = static_cast<int>(tile);
  shape.blocks = static_cast<int>(blocks);
  shape.parameters = static_cast<int>(region.block_size);
  shape.slots = static_cast<int>(catalogue::slot_count(catalogue::kind_of(*region.optimizer)));
  shape.arena = static_cast<int>(next);
  return next <= std::numeric_limits<int>::max() / 4 ? next : 0;
}

template <class T>
OwnedCall* bind_of(Context& context, const TrainingRegion& region) {
  RegionProgram<T> program{
      {}, UpdateConstants<T>(*region.optimizer), catalogue::kind_of(*region.optimizer), decay_of(*region.optimizer)};
  const std::int64_t max_bytes = shared_memory_of_a_block();
  std::int64_t blocks = std::clamp<std::int64_t>(region.rows / kRowsOfABlock, 1, max_blocks_of_a_grid());
  std::int64_t bytes = 0;
  // Fewer rows to a block where they do not fit.
  for (;; blocks = std::min(2 * blocks, max_blocks_of_a_grid())) {
    const std::int64_t entries = lay_out(region, blocks, program.shape);
    bytes = entries * static_cast<std::int64_t>(sizeof(T));
    if (entries > 0 && bytes <= max_bytes) break;
    if (entries == 0 || blocks >= std::min(region.rows, max_blocks_of_a_grid())) {
      context.unsupported =
          "the model and a part of its batch do not fit into a block's shared memory: " + std::to_string(bytes) +
          " bytes, there are " + std::to_string(max_bytes);
      return nullptr;
    }
  }
  if (!prepare_grid<T, RegionProgram<T>>()) {
    context.unsupported = "a block cannot have the device's shared memory";
    return nullptr;
  }
  program.shape.loss_scale =
      static_cast<T>(loss_gradient_scale(region.loss, region.rows, region.layers[region.layer_count - 1].outputs));
  Scratch partials =
      blocks == 1 ? Scratch()
                  : Scratch(2 * sizeof(T) * static_cast<std::size_t>(blocks * region.block_size), context.stream);
  return make_call(
      context, "training region",
      [program, bytes, partials = std::move(partials)](Context& to, const Buffer* buffers, std::uint64_t steps) {
        RegionProgram<T> run = program;
        run.x = data<const T>(buffers[0]);
        run.targets = data<const T>(buffers[1]);
        run.labels = data<const std::int32_t>(buffers[1]);
        run.index = data<const std::uint32_t>(buffers[2]);
        run.scalars = data<const UpdateScalars>(buffers[3]);
        run.parameters = data<T>(buffers[4]);
        for (int s = 0; s < run.shape.slots; ++s) run.slots[s] = data<T>(buffers[5 + s]);
        run.partials = partials.template as<T>();
        run.steps = steps;
        launch_grid<T>(to.stream, run.shape.blocks, bytes, run);
      });
}

}  // namespace

OwnedCall* bind_training_region(Context& context, const TrainingRegion& region) {
  if (OwnedCall* tiny = bind_tiny_region(context, region)) return tiny;
  if (region.layer_count > kMaxRegionLayers) {
    context.unsupported = "more than " + std::to_string(kMaxRegionLayers) + " layers in one kernel";
    return nullptr;
  }
  return catalogue::with_element(region.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, region); });
}

}  // namespace gdbench::backends::cuda
