// The training of a small network as one kernel: parameters and slots lie in the shared memory of each block and stay
// there for all steps. A block has a part of the batch's rows; with several blocks each adds up all blocks' gradients
// after a barrier of the whole grid and updates its own copy of the parameters, so that a step needs one barrier.
//
// The program is written in phases, like the programs of launch.h: within a phase no thread reads what another writes.
#pragma once

#include <cmath>
#include <cstdint>

#include "implementations/backends/common/region.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

constexpr int kMaxRegionLayers = 6;

struct RegionLayer {
  int inputs = 0;
  int outputs = 0;
  Activation activation = Activation::identity;
  int weights = 0;      // where it starts among the parameters
  int bias = -1;        // -1: none
  int activations = 0;  // where its outputs start in the arena: [tile rows, outputs]
  int told_by = 0;      // the same of what its derivative is told from: them, or what the activation was applied to
};

// What is the same for every thread of every block.
template <class T>
struct RegionShape {
  RegionLayer layers[kMaxRegionLayers];
  int layer_count = 0;
  Loss loss = Loss::mse;
  T huber_delta = 1;
  bool labels = false;
  T loss_scale = 0;
  int rows = 0;       // of a batch
  int tile_rows = 0;  // of a block, at most
  int blocks = 1;
  int parameters = 0;  // entries of the block of parameters
  int slots = 0;
  // Where things start in a block's arena, in entries: parameters and slots at 0, then gradients, the tile of X,
  // outputs of each layer, and two arrays for the gradients with respect to them.
  int gradients = 0;
  int x = 0;
  int deltas[2] = {0, 0};
  int arena = 0;  // entries in all
};

// Where a thread is.
struct Place {
  int block = 0;
  int thread = 0;
  int threads = 0;  // of a block
};

// One kernel for all networks and optimizers of a type: what it branches by is the same for all threads, and each
// kernel of its own would take a second to compile.
template <class T>
struct RegionProgram {
  RegionShape<T> shape;
  UpdateConstants<T> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;
  const T* x = nullptr;
  const T* targets = nullptr;
  const std::int32_t* labels = nullptr;
  const std::uint32_t* index = nullptr;
  const UpdateScalars* scalars = nullptr;
  T* parameters = nullptr;
  T* slots[2] = {nullptr, nullptr};
  T* partials = nullptr;  // [2, blocks, parameters]: of even and of odd steps, so that one barrier a step suffices
  std::uint64_t steps = 0;

  // Before the first step: everything that stays in the arena. After the last one: back to where it came from.
  GDBENCH_HOST_DEVICE void enter(const Place& at, T* arena) const {
    for (int i = at.thread; i < shape.parameters; i += at.threads) {
      arena[i] = parameters[i];
      arena[shape.gradients + i] = 0;  // between parameters, too
      for (int s = 0; s < shape.slots; ++s) arena[(s + 1) * shape.parameters + i] = slots[s][i];
    }
  }
  GDBENCH_HOST_DEVICE void leave(const Place& at, const T* arena) const {
    if (at.block != 0) return;
    for (int i = at.thread; i < shape.parameters; i += at.threads) {
      parameters[i] = arena[i];
      for (int s = 0; s < shape.slots; ++s) slots[s][i] = arena[(s + 1) * shape.parameters + i];
    }
  }

  // Phases of a step: the tile of X, forward by layer, the loss, backward by layer, the update.
  GDBENCH_HOST_DEVICE int phases() const { return 2 * shape.layer_count + 3; }
  // Whether the whole grid has to wait after a phase: gradients of all blocks are needed next.
  GDBENCH_HOST_DEVICE bool waits_for_all(int phase) const { return shape.blocks > 1 && phase == phases() - 2; }

  GDBENCH_HOST_DEVICE void run(int phase, std::uint64_t step, const Place& at, T* arena) const {
    const int layers = shape.layer_count;
    if (phase == 0) {
      take_rows(step, at, arena);
    } else if (phase <= layers) {
      forward(phase - 1, at, arena);
    } else if (phase == layers + 1) {
      output_gradient(step, at, arena);
    } else if (phase <= 2 * layers + 1) {
      backward(2 * layers + 1 - phase, step, at, arena);
    } else {
      update(step, at, arena);
    }
  }

 private:
  GDBENCH_HOST_DEVICE int first_row(const Place& at) const { return at.block * shape.tile_rows; }
  GDBENCH_HOST_DEVICE int rows_of(const Place& at) const {
    const int left = shape.rows - first_row(at);
    return left < shape.tile_rows ? (left > 0 ? left : 0) : shape.tile_rows;
  }
  // The row of the data that row `row` of the tile is.
  GDBENCH_HOST_DEVICE std::int64_t row_of_data(std::uint64_t step, const Place& at, int row) const {
    const std::int64_t in_batch = first_row(at) + row;
    if (index == nullptr) return in_batch;
    return index[static_cast<std::int64_t>(step) * shape.rows + in_batch];
  }
  GDBENCH_HOST_DEVICE const T* input(int layer, const T* arena) const {
    return arena + (layer == 0 ? shape.x : shape.layers[layer - 1].activations);
  }

  GDBENCH_HOST_DEVICE void take_rows(std::uint64_t step, const Place& at, T* arena) const {
    if (index == nullptr && step > 0) return;  // they are there
    const int features = shape.layers[0].inputs;
    const int rows = rows_of(at);
    for (int i = at.thread; i < rows * features; i += at.threads) {
      arena[shape.x + i] = x[row_of_data(step, at, i / features) * features + i % features];
    }
  }

  GDBENCH_HOST_DEVICE void forward(int l, const Place& at, T* arena) const {
    const RegionLayer& layer = shape.layers[l];
    const T* in = input(l, arena);
    const int rows = rows_of(at);
    for (int i = at.thread; i < rows * layer.outputs; i += at.threads) {
      const int row = i / layer.outputs;
      const int column = i % layer.outputs;
      T z = layer.bias < 0 ? T(0) : arena[layer.bias + column];
      for (int p = 0; p < layer.inputs; ++p) {
        z += in[row * layer.inputs + p] * arena[layer.weights + p * layer.outputs + column];
      }
      arena[layer.told_by + i] = z;  // and written over, where that is the output
      arena[layer.activations + i] = activated(layer.activation, z);
    }
  }

  // D of the last layer: the loss's gradient times f'.
  GDBENCH_HOST_DEVICE void output_gradient(std::uint64_t step, const Place& at, T* arena) const {
    const RegionLayer& layer = shape.layers[shape.layer_count - 1];
    T* delta = arena + shape.deltas[(shape.layer_count - 1) % 2];
    const T* a = arena + layer.activations;
    const T* told = arena + layer.told_by;
    const int rows = rows_of(at);
    const int n = layer.outputs;
    if (!shape.labels) {
      for (int i = at.thread; i < rows * n; i += at.threads) {
        const T y = targets[row_of_data(step, at, i / n) * n + i % n];
        delta[i] = shape.loss_scale * loss_slope(shape.loss, a[i], y, shape.huber_delta) *
                   derivative(layer.activation, told[i]);
      }
      return;
    }
    for (int row = at.thread; row < rows; row += at.threads) {
      const T* logits = a + row * n;
      T shift = logits[0];
      for (int j = 1; j < n; ++j) shift = logits[j] > shift ? logits[j] : shift;
      T sum = 0;
      for (int j = 0; j < n; ++j) sum += std::exp(logits[j] - shift);
      const int label = labels[row_of_data(step, at, row)];
      for (int j = 0; j < n; ++j) {
        const T share = std::exp(logits[j] - shift) / sum;
        const T gradient = shape.loss_scale * (share - (j == label ? T(1) : T(0)));
        delta[row * n + j] = gradient * derivative(layer.activation, told[row * n + j]);
      }
    }
  }

  // Gradients of layer l's parameters over the block's rows, and D of the layer before.
  GDBENCH_HOST_DEVICE void backward(int l, std::uint64_t step, const Place& at, T* arena) const {
    const RegionLayer& layer = shape.layers[l];
    const T* delta = arena + shape.deltas[l % 2];
    const T* in = input(l, arena);
    T* gradients = gradients_of(step, at, arena);
    const int rows = rows_of(at);
    const int weights = layer.inputs * layer.outputs;
    const int own = weights + (layer.bias < 0 ? 0 : layer.outputs);
    for (int i = at.thread; i < own; i += at.threads) {
      T sum = 0;
      if (i < weights) {
        const int p = i / layer.outputs;
        const int column = i % layer.outputs;
        for (int row = 0; row < rows; ++row) {
          sum += in[row * layer.inputs + p] * delta[row * layer.outputs + column];
        }
        gradients[layer.weights + i] = sum;
      } else {
        for (int row = 0; row < rows; ++row) sum += delta[row * layer.outputs + (i - weights)];
        gradients[layer.bias + (i - weights)] = sum;
      }
    }
    if (l == 0) return;
    T* before = arena + shape.deltas[(l - 1) % 2];
    for (int i = at.thread; i < rows * layer.inputs; i += at.threads) {
      const int row = i / layer.inputs;
      const int p = i % layer.inputs;
      T sum = 0;
      for (int column = 0; column < layer.outputs; ++column) {
        sum += delta[row * layer.outputs + column] * arena[layer.weights + p * layer.outputs + column];
      }
      before[i] = sum * derivative(shape.layers[l - 1].activation, arena[shape.layers[l - 1].told_by + i]);
    }
  }

  GDBENCH_HOST_DEVICE T* gradients_of(std::uint64_t step, const Place& at, T* arena) const {
    if (shape.blocks == 1) return arena + shape.gradients;
    return partials_of(step) + static_cast<std::int64_t>(at.block) * shape.parameters;
  }
  GDBENCH_HOST_DEVICE T* partials_of(std::uint64_t step) const {
    return partials + static_cast<std::int64_t>(step % 2) * shape.blocks * shape.parameters;
  }

  // By the same additions in every block, so that all copies stay the same.
  GDBENCH_HOST_DEVICE void update(std::uint64_t step, const Place& at, T* arena) const {
    const UpdateStep<T> rule(constants, scalars[step]);
    const T* all = partials_of(step);
    for (int i = at.thread; i < shape.parameters; i += at.threads) {
      T gradient = 0;
      if (shape.blocks == 1) {
        gradient = arena[shape.gradients + i];
      } else {
        for (int block = 0; block < shape.blocks; ++block) {
          gradient += all[static_cast<std::int64_t>(block) * shape.parameters + i];
        }
      }
      T* first = arena + shape.parameters + i;
      arena[i] = updated_by(optimizer, decay, rule, arena[i], gradient, first, first + shape.parameters);
    }
  }
};

}  // namespace gdbench::backends::cuda
