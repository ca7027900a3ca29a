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
  explicit Divisor(int divisor) : divisor_(divisor), magic_((std::uint64_t{1} << 32) / divisor + 1) {}
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
  Activation activation = Activation::identity;
  bool has_bias = false;
  // Where they start in the blocks of parameters and slots.
  int weights_from = 0;
  int bias_from = 0;
  // Where things start in the arena, in entries.
  int parameters = 0;  // [inputs + 1, stride], among all parameters; the last row is the bias
  int stride = 0;
  int input = 0;    // [inputs + 1 columns]
  int output = 0;   // [outputs + 1 columns]
  int told_by = 0;  // what its derivative is told from: its output, or what the activation was applied to
  int deltas = 0;   // [outputs columns], gradients with respect to what the activation was applied to

  // Rows of the weights that have gradients.
  GDBENCH_HOST_DEVICE int parameter_rows() const { return inputs + (has_bias ? 1 : 0); }
};

// What is the same for every thread of every block, whatever the blocks share.
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
  int packs = 0;         // of a column in the arena
  int parameters = 0;    // entries of all layers' parameters in the arena, at 0; slots follow
  int slots = 0;
  // Where things start in the arena, in entries.
  int targets = 0;  // [outputs columns], or one of labels
  int scalars = 0;
  int arena = 0;  // entries in all
};

// Where blocks share the rows of a batch.
template <class T>
struct RegionShape : RegionSizes<T> {
  RegionLayer layers[kMaxRegionLayers];
  int tile_rows = 0;  // of a block, at most
  int gradients = 0;  // where they start; of even and of odd steps, so that one meeting a step suffices
};

}  // namespace gdbench::backends::cuda
