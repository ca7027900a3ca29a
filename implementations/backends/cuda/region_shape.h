// How the training of a small network is laid out in the shared memory of blocks: see region.h.
#pragma once

#include <cstdint>

#include "implementations/backends/common/ops.h"
#include "implementations/backends/common/rules/rule_of.h"

namespace gdbench::backends::cuda {

constexpr int kMaxRegionLayers = 6;

// Divides numbers below 2^16 by a number that is not greater, by one multiplication.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(int divisor)
      : divisor_(divisor), magic_((std::uint64_t{1} << 32) / static_cast<std::uint64_t>(divisor) + 1) {}
  GDBENCH_HOST_DEVICE int quotient(int number) const {
    return static_cast<int>((static_cast<std::uint64_t>(number) * magic_) >> 32);
  }
  GDBENCH_HOST_DEVICE int remainder(int number) const { return number - quotient(number) * divisor_; }

 private:
  int divisor_ = 1;
  std::uint64_t magic_ = std::uint64_t{1} << 32;
};

struct RegionLayer {
  int inputs = 0;
  int outputs = 0;
  Divisor by_outputs;
  Divisor by_packs;
  Activation activation = Activation::identity;
  bool has_bias = false;
  // Where they start in the blocks of parameters and slots.
  int weights_from = 0;
  int bias_from = 0;
  // Where things start in the arena, in entries.
  int parameters = 0;  // [inputs + 1, stride], among all parameters; the last row is the bias
  int stride = 0;
  int input = 0;     // [inputs + 1 columns]
  int output = 0;    // [outputs + 1 columns]
  int argument = 0;  // of the activation's derivative: the output, or what the activation was applied to
  int deltas = 0;    // [outputs columns], gradients with respect to what the activation was applied to
  int slices = 1;    // threads that share the inputs of an output

  // Rows of the weights that have gradients.
  GDBENCH_HOST_DEVICE int parameter_rows() const { return inputs + (has_bias ? 1 : 0); }
};

// What is the same for every thread of every block, in every kind of region.
template <class T>
struct RegionSizes {
  int layer_count = 0;
  Loss loss = Loss::mse;
  T huber_delta = 1;
  bool labels = false;
  T loss_scale = 0;
  int rows = 0;  // of a batch
  int blocks = 1;
  bool cluster = false;  // whether several blocks are one
  bool scalars_vary = true;
  int packs = 0;       // of a column in the arena
  int parameters = 0;  // entries of all layers' parameters in the arena, at 0; slots follow
  int slots = 0;
  // Where things start in the arena, in entries.
  int targets = 0;  // [outputs columns], or one of labels
  int scalars = 0;  // of even and of odd steps
  int arena = 0;    // entries in all
};

// Of a step, where blocks share the rows of a batch. All threads of a block wait for each other after each.
enum class RegionPhase : std::uint8_t {
  take_rows,        // where they are others in each step
  forward,          // of a layer, and its deltas where it is the last one and its columns are not coupled
  add_slices,       // of a layer's outputs, likewise
  output_gradient,  // deltas of the last layer, where they are coupled
  backward,         // deltas of a layer from those of the layer behind it
  sum_gradients,    // over the block's rows; where those are sliced, a sum for each slice
  add_gradients,    // of a grid, up to one sum of the block
  collect,          // sums of all blocks
  update,
};

struct RegionStep {
  RegionPhase phase = RegionPhase::update;
  std::int8_t layer = 0;
  bool meets = false;  // whether threads of all blocks wait for each other after it
};

// rows, 2 * forward, the loss, backward, and four for gradients and their update.
constexpr int kMaxRegionSteps = 3 * kMaxRegionLayers + 6;

// Where blocks share the rows of a batch.
template <class T>
struct RegionShape : RegionSizes<T> {
  RegionLayer layers[kMaxRegionLayers];
  RegionStep plan[kMaxRegionSteps];
  int phases = 0;
  int threads = 0;
  int tile_rows = 0;       // of a block, at most
  int slice_sums = 0;      // [slices, outputs, packs] of a layer
  int gradient_sums = 0;   // [slices, parameters], of what threads share of the rows, or of the blocks
  int gradient_items = 0;  // of all layers: see sum_gradients
  Divisor by_gradient_items;
  int gradient_slices = 1;   // threads that share the rows of a gradient
  int collected_slices = 1;  // threads that share the blocks of a grid
  int owned_packs = 0;       // packs of parameters that a block of a cluster owns
  Divisor by_blocks;
  int collected = 0;  // [owned packs, blocks]
};

}  // namespace gdbench::backends::cuda
