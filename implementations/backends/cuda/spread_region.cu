#include <algorithm>
#include <bit>
#include <limits>

#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/grid_launch.h"
#include "implementations/backends/cuda/region_layout.h"
#include "implementations/backends/cuda/spread_region.h"

namespace gdbench::backends::cuda {
namespace {

// Bytes of a block's arena.
template <class T>
std::int64_t lay_out(std::int64_t blocks, SpreadShape<T>& shape) {
  Arena<T> arena;
  const std::int64_t packs = ((shape.rows + kPackWidth<T> - 1) / kPackWidth<T>) | 1;
  const std::int64_t column = packs * kPackWidth<T>;
  std::int64_t parameters = 0;
  std::int64_t slice_sums = 0;
  for (int l = 0; l < shape.layer_count; ++l) {
    SpreadLayer& layer = shape.layers[l];
    layer.width = static_cast<int>((layer.outputs + blocks - 1) / blocks);
    layer.by_width = Divisor(layer.width);
    layer.stride = layer.width | 1;
    layer.derivative_of_input = catalogue::reads_input(layer.activation);
    layer.parameters = static_cast<int>(parameters);
    parameters += (std::int64_t{layer.inputs} + 1) * layer.stride;
    const std::int64_t items = packs * layer.width;
    layer.slices = static_cast<int>(std::clamp<std::int64_t>(kGridThreads / items, 1, layer.inputs));
    slice_sums = std::max(slice_sums, layer.slices * items * kPackWidth<T>);
  }
  arena.take((std::int64_t{1} + shape.slots) * parameters);
  int input = 0;
  arena.place(input, (shape.layers[0].inputs + std::int64_t{1}) * column);
  for (int l = 0; l < shape.layer_count; ++l) {
    SpreadLayer& layer = shape.layers[l];
    layer.input = input;
    arena.place(layer.output, (layer.outputs + std::int64_t{1}) * column);
    arena.place(layer.argument, layer.width * column);
    arena.place(layer.deltas, layer.width * column);
    if (l + 1 < shape.layer_count) arena.place(layer.sums, layer.outputs * column);
    input = layer.output;
  }
  arena.place(shape.slice_sums, slice_sums);
  arena.place(shape.targets, (shape.labels ? 1 : shape.layers[shape.layer_count - 1].outputs) * column);
  arena.place_scalars(shape.scalars);
  shape.blocks = static_cast<int>(blocks);
  shape.cluster = true;
  shape.packs = static_cast<int>(packs);
  shape.parameters = static_cast<int>(std::min<std::int64_t>(parameters, std::numeric_limits<int>::max()));
  shape.arena = static_cast<int>(std::min<std::int64_t>(arena.size(), std::numeric_limits<int>::max()));
  return arena.size() * static_cast<std::int64_t>(sizeof(T));
}

template <class T>
OwnedCall* bind_of(Context& context, const TrainingRegion& region) {
  using Program = SpreadProgram<T>;
  const std::int64_t blocks = prepare_grid<T, Program>();
  if (blocks == 1) return nullptr;
  auto program = program_of<SpreadProgram, T>(region);
  if (lay_out(blocks, program.shape) > shared_memory_of_a_block()) return nullptr;
  return make_call(context, "training region", [program](Context& to, const Buffer* buffers, std::uint64_t steps) {
    Program run = program;
    run.take(buffers, run.shape.slots, steps);
    launch_grid<T>(to.stream, kGridThreads, run);
  });
}

}  // namespace

// A single layer's outputs would be written by some blocks before others have read those of the step before.
OwnedCall* bind_spread_region(Context& context, const TrainingRegion& region) {
  constexpr std::int64_t kMostRows = 256;  // of which every block has a copy
  constexpr std::int64_t kMostColumns = 1 << 13;
  if (region.layer_count < 2 || region.rows > kMostRows) return nullptr;
  for (std::int64_t l = 0; l < region.layer_count; ++l) {
    if (region.layers[l].inputs > kMostColumns || region.layers[l].outputs > kMostColumns) return nullptr;
  }
  return catalogue::with_element(region.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, region); });
}

}  // namespace gdbench::backends::cuda
