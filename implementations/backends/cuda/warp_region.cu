#include <cstdint>

#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/region_layout.h"
#include "implementations/backends/cuda/warp_launch.h"

namespace gdbench::backends::cuda {
namespace {

template <class T>
void lay_out(std::int64_t blocks, WarpShape<T>& shape) {
  Arena<T> arena;
  constexpr int kWidth = kPackWidth<T>;
  const std::int64_t rows = (shape.rows + blocks - 1) / blocks;
  for (int l = 0; l < shape.layer_count; ++l) {
    shape.layers[l].stride = shape.layers[l].outputs;
    shape.derivative_of_input[l] = catalogue::reads_input(shape.layers[l].activation);
  }
  shape.layers[1].parameters = (shape.layers[0].inputs + 1) * shape.layers[0].outputs;
  const int parameters = shape.layers[1].parameters + shape.layers[0].outputs + 1;
  const int packs = (parameters + kWidth - 1) / kWidth;
  shape.parameters = packs * kWidth;
  shape.blocks = static_cast<int>(blocks);
  shape.cluster = blocks > 1;
  shape.warps = static_cast<int>((rows + WarpProgram<T>::kRows - 1) / WarpProgram<T>::kRows);
  shape.owned_packs = (packs + shape.blocks - 1) / shape.blocks;
  shape.by_owned = Divisor(shape.owned_packs);
  arena.take((std::int64_t{1} + shape.slots) * shape.parameters);
  arena.place(shape.sums, std::int64_t{shape.warps} * shape.parameters);
  arena.place(shape.collected, std::int64_t{shape.blocks} * shape.owned_packs * kWidth);
  arena.place_scalars(shape.scalars);
  shape.arena = static_cast<int>(arena.size());
}

template <class T>
OwnedCall* bind_of(Context& context, const TrainingRegion& region) {
  using Program = WarpProgram<T>;
  if (region.layers[0].inputs > Program::kFeatures || region.layers[0].outputs > Program::kUnits * kLanes) {
    return nullptr;
  }
  constexpr std::int64_t kRowsOfABlock = kWarpRegionThreads / kLanes * Program::kRows;
  const std::int64_t blocks = (region.rows + kRowsOfABlock - 1) / kRowsOfABlock;
  if (blocks > prepare_warps<T>()) return nullptr;
  auto program = program_of<WarpProgram, T>(region);
  lay_out(blocks, program.shape);
  return make_call(context, "training region", [program](Context& to, const Buffer* buffers, std::uint64_t steps) {
    Program run = program;
    run.take(buffers, run.shape.slots, steps);
    launch_warps(to.stream, run);
  });
}

}  // namespace

OwnedCall* bind_warp_region(Context& context, const TrainingRegion& region) {
  if (region.layer_count != 2 || region.layers[1].outputs != 1 || takes_labels(region.loss)) return nullptr;
  return catalogue::with_element(region.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, region); });
}

}  // namespace gdbench::backends::cuda
