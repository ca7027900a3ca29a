#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/grid_launch.h"
#include "implementations/backends/cuda/region.h"
#include "implementations/backends/cuda/region_layout.h"
#include "implementations/backends/cuda/scratch.h"

namespace gdbench::backends::cuda {
namespace {

// Multiplications of a step from which several blocks gain more than it costs them to meet, by a cluster's two meetings
// (measured on an H100: some 2.5 us, and 18 us for a million multiplications of one block), and from which a grid's
// many multiprocessors gain more than that (an estimate). Rows of a block, where there are several: few, for many of
// them.
constexpr std::int64_t kMaxMultiplicationsOfABlock = 150'000;
constexpr std::int64_t kMaxMultiplicationsOfACluster = std::int64_t{1} << 22;
constexpr std::int64_t kRowsOfABlock = 32;

// Slices of `terms` that keep the chain of additions short: those of a slice, and then those of the slices.
int slices_of(std::int64_t terms) { return std::max(static_cast<int>(std::sqrt(static_cast<double>(terms))), 1); }

// Threads as they have something to do, and what several of them share where there are more than items.
template <class T>
void share_out(RegionShape<T>& shape) {
  using Program = RegionProgram<T>;
  const int parameter_packs = shape.parameters / kPackWidth<T>;
  shape.gradient_items = 0;
  for (int l = 0; l < shape.layer_count; ++l) shape.gradient_items += Program::gradient_items_of(shape.layers[l]);
  int most = std::max(shape.gradient_items * slices_of(shape.packs),
                      shape.cluster ? parameter_packs : parameter_packs * slices_of(shape.blocks));
  for (int l = 0; l < shape.layer_count; ++l) {
    const RegionLayer& layer = shape.layers[l];
    most = std::max(most, shape.packs * layer.outputs * slices_of(layer.inputs + 1));
  }
  shape.threads = std::clamp(static_cast<int>(std::bit_ceil(static_cast<unsigned>(most))), kLanes, kGridThreads);
  const auto slices = [&](int items, std::int64_t terms) {
    return std::clamp(shape.threads / items, 1, slices_of(terms));
  };
  for (int l = 0; l < shape.layer_count; ++l) {
    RegionLayer& layer = shape.layers[l];
    layer.slices = slices(shape.packs * layer.outputs, layer.inputs + 1);
    layer.by_packs = Divisor(shape.packs);
  }
  shape.gradient_slices = slices(shape.gradient_items, shape.packs);
  shape.by_gradient_items = Divisor(shape.gradient_items);
  shape.collected_slices = shape.cluster ? 1 : slices(parameter_packs, shape.blocks);
}

// The phases of a step.
template <class T>
void plan_step(bool takes_rows, RegionShape<T>& shape) {
  shape.phases = 0;
  const auto add = [&](RegionPhase phase, int layer = 0) {
    shape.plan[shape.phases++] = {phase, static_cast<std::int8_t>(layer), false};
  };
  const int last = shape.layer_count - 1;
  if (takes_rows) add(RegionPhase::take_rows);
  for (int l = 0; l <= last; ++l) {
    add(RegionPhase::forward, l);
    if (shape.layers[l].slices > 1) add(RegionPhase::add_slices, l);
  }
  if (shape.labels) add(RegionPhase::output_gradient, last);
  for (int l = last - 1; l >= 0; --l) add(RegionPhase::backward, l);
  add(RegionPhase::sum_gradients);
  if (shape.blocks > 1) {
    if (!shape.cluster && shape.gradient_slices > 1) add(RegionPhase::add_gradients);
    shape.plan[shape.phases - 1].meets = true;
    add(RegionPhase::collect);
  }
  add(RegionPhase::update);
  shape.plan[shape.phases - 1].meets = shape.cluster;
}

// Bytes of a block's arena.
template <class T>
std::int64_t lay_out(std::int64_t blocks, bool cluster, RegionShape<T>& shape) {
  Arena<T> arena;
  const std::int64_t tile = (shape.rows + blocks - 1) / blocks;
  const std::int64_t packs = ((tile + kPackWidth<T> - 1) / kPackWidth<T>) | 1;
  const std::int64_t column = packs * kPackWidth<T>;
  const std::int64_t copies = 1 + shape.slots;
  std::int64_t parameters = 0;
  for (int l = 0; l < shape.layer_count; ++l) {
    RegionLayer& layer = shape.layers[l];
    layer.parameters = static_cast<int>(parameters);
    parameters += (std::int64_t{layer.inputs} + 1) * layer.stride;
  }
  parameters = (parameters + kPackWidth<T> - 1) / kPackWidth<T> * kPackWidth<T>;
  shape.tile_rows = static_cast<int>(tile);
  shape.blocks = static_cast<int>(blocks);
  shape.cluster = cluster && blocks > 1;
  shape.packs = static_cast<int>(packs);
  shape.parameters = static_cast<int>(parameters);
  share_out(shape);
  arena.take(copies * parameters);
  arena.place(shape.gradient_sums, std::max(shape.gradient_slices, shape.collected_slices) * parameters);
  if (shape.cluster) {
    shape.owned_packs = static_cast<int>((parameters / kPackWidth<T> + blocks - 1) / blocks);
    shape.by_blocks = Divisor(shape.blocks);
    arena.place(shape.collected, shape.owned_packs * blocks * kPackWidth<T>);
  }
  int input = 0;
  std::int64_t slice_sums = 0;
  arena.place(input, (shape.layers[0].inputs + std::int64_t{1}) * column);
  for (int l = 0; l < shape.layer_count; ++l) {
    RegionLayer& layer = shape.layers[l];
    layer.input = input;
    arena.place(layer.output, (layer.outputs + std::int64_t{1}) * column);
    layer.argument = layer.output;
    if (catalogue::reads_input(layer.activation)) arena.place(layer.argument, layer.outputs * column);
    arena.place(layer.deltas, layer.outputs * column);
    input = layer.output;
    if (layer.slices > 1) slice_sums = std::max(slice_sums, layer.slices * layer.outputs * column);
  }
  arena.place(shape.slice_sums, slice_sums);
  arena.place(shape.targets, (shape.labels ? 1 : shape.layers[shape.layer_count - 1].outputs) * column);
  arena.place_scalars(shape.scalars);
  shape.arena = static_cast<int>(std::min<std::int64_t>(arena.size(), std::numeric_limits<int>::max()));
  return arena.size() * static_cast<std::int64_t>(sizeof(T));
}

// Beyond these the program does not count, and would not fit anyway.
bool is_small(const TrainingRegion& region) {
  constexpr std::int64_t kMost = 1 << 16;
  std::int64_t outputs = 1;
  for (std::int64_t l = 0; l < region.layer_count; ++l) {
    if (region.layers[l].inputs >= kMost || region.layers[l].outputs >= kMost) return false;
    outputs = std::max(outputs, region.layers[l].outputs);
  }
  return region.block_size < kMost && region.rows <= std::numeric_limits<int>::max() / outputs;
}

// More blocks, with fewer rows each, where they do not fit. Bytes of an arena; more than `max_bytes` where none fits.
template <class T>
std::int64_t choose_blocks(const TrainingRegion& region, std::int64_t most_of_a_cluster, std::int64_t max_bytes,
                           RegionShape<T>& shape) {
  const std::int64_t multiplications = region.rows * region.block_size * 3;
  const std::int64_t wanted =
      multiplications <= kMaxMultiplicationsOfABlock ? 1 : std::max<std::int64_t>(region.rows / kRowsOfABlock, 1);
  const bool small = multiplications <= kMaxMultiplicationsOfACluster;
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  if (wanted == 1 || (small && most_of_a_cluster > 1)) {
    const auto floor = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(wanted)));
    for (std::int64_t blocks = std::min(floor, most_of_a_cluster); blocks <= most_of_a_cluster; blocks *= 2) {
      bytes = lay_out(blocks, true, shape);
      if (bytes <= max_bytes) return bytes;
    }
  }
  const std::int64_t most = max_blocks_of_a_grid();
  for (std::int64_t blocks = std::min(wanted, most);; blocks = std::min(2 * blocks, most)) {
    bytes = lay_out(blocks, false, shape);
    if (bytes <= max_bytes || blocks >= std::min(most, region.rows)) return bytes;
  }
}

template <class T>
OwnedCall* bind_of(Context& context, const TrainingRegion& region) {
  auto program = program_of<RegionProgram, T>(region);
  const std::int64_t most_of_a_cluster = prepare_grid<T, RegionProgram<T>>();
  const std::int64_t max_bytes = shared_memory_of_a_block();
  const std::int64_t bytes = choose_blocks(region, most_of_a_cluster, max_bytes, program.shape);
  if (bytes > max_bytes) {
    context.unsupported =
        "the model and a part of its batch do not fit into a block's shared memory: " + std::to_string(bytes) +
        " bytes, there are " + std::to_string(max_bytes);
    return nullptr;
  }
  plan_step(region.gathers, program.shape);
  const RegionShape<T>& shape = program.shape;
  const auto partials = static_cast<std::size_t>(2 * shape.blocks) * static_cast<std::size_t>(shape.parameters);
  const bool grid = shape.blocks > 1 && !shape.cluster;
  return make_call(context, "training region",
                   [program, partials = grid ? Scratch(partials * sizeof(T), context.stream) : Scratch()](
                       Context& to, const Buffer* buffers, std::uint64_t steps) {
                     RegionProgram<T> run = program;
                     run.take(buffers, run.shape.slots, steps);
                     run.partials = partials.template as<T>();
                     launch_grid<T>(to.stream, run.shape.threads, run);
                   });
}

}  // namespace

OwnedCall* bind_training_region(Context& context, const TrainingRegion& region) {
  if (OwnedCall* tiny = bind_tiny_region(context, region)) return tiny;
  if (region.layer_count > kMaxRegionLayers) {
    context.unsupported = "more than " + std::to_string(kMaxRegionLayers) + " layers in one kernel";
    return nullptr;
  }
  if (!launches_grids()) {
    context.unsupported = "the device has no launches whose blocks can wait for each other";
    return nullptr;
  }
  if (OwnedCall* narrow = bind_warp_region(context, region)) return narrow;
  context.unsupported = "the model and a part of its batch do not fit into a block's shared memory";
  if (!is_small(region)) return nullptr;
  return catalogue::with_element(region.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, region); });
}

}  // namespace gdbench::backends::cuda
