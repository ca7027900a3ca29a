// The training of a small network as one kernel: parameters and slots lie in the shared memory of each block and stay
// there for all steps. A block has a part of the batch's rows; with several blocks each adds up all blocks' gradients
// after they have waited for each other, and updates its own copy of the parameters, so that a step needs one such
// meeting. Blocks of a cluster read each other's gradients from shared memory; those of a grid put them into the
// device's.
//
// In a block's memory, its arena, matrices with a row for each sample lie transposed: a thread reads the same column of
// several samples at once, a pack. Columns are an odd number of packs long, and rows of weights an odd number of
// entries, so that the threads of a warp find what they read in different banks. Behind the columns of a layer's inputs
// there is one of ones, by which a bias is one more row of the weights.
//
// The program is written in phases, like the programs of launch.h: within a phase no thread reads what another writes.
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#include "implementations/backends/common/call.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/launch.h"
#include "implementations/backends/cuda/region_shape.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

// Where a thread is.
struct Place {
  int block = 0;
  int thread = 0;
  int threads = 0;  // of a block
};

// What block `block` of a cluster has where block `own` has `arena`.
template <class T>
GDBENCH_HOST_DEVICE T* arena_of_block(T* arena, int block, int own, int entries) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return cooperative_groups::this_cluster().map_shared_rank(arena, static_cast<unsigned>(block));
#else
  return arena + static_cast<std::int64_t>(block - own) * entries;
#endif
}

// What a step reads and writes in the device's memory.
template <class T>
struct RegionBuffers {
  const T* x = nullptr;
  const T* targets = nullptr;
  const std::int32_t* labels = nullptr;
  const std::uint32_t* index = nullptr;
  const UpdateScalars* scalars = nullptr;
  T* parameters = nullptr;
  T* slots[2] = {nullptr, nullptr};
  std::uint64_t steps = 0;

  // As a region's call gets them.
  void take(const Buffer* buffers, int slot_count, std::uint64_t step_count) {
    x = data<const T>(buffers[0]);
    targets = data<const T>(buffers[1]);
    labels = data<const std::int32_t>(buffers[1]);
    index = data<const std::uint32_t>(buffers[2]);
    scalars = data<const UpdateScalars>(buffers[3]);
    parameters = data<T>(buffers[4]);
    for (int s = 0; s < slot_count; ++s) slots[s] = data<T>(buffers[5 + s]);
    steps = step_count;
  }

  // An entry of a parameter, with its slots: `own` is where it is among those of the arena, `theirs` in the blocks.
  GDBENCH_HOST_DEVICE void load_parameter(const RegionSizes<T>& sizes, int own, int theirs, T* arena) const {
    arena[own] = parameters[theirs];
    for (int s = 0; s < sizes.slots; ++s) arena[(s + 1) * sizes.parameters + own] = slots[s][theirs];
  }
  GDBENCH_HOST_DEVICE void store_parameter(const RegionSizes<T>& sizes, int own, int theirs, const T* arena) const {
    parameters[theirs] = arena[own];
    for (int s = 0; s < sizes.slots; ++s) slots[s][theirs] = arena[(s + 1) * sizes.parameters + own];
  }

  // Rows `first` to `first` + `rows` - 1 of a step's batch of `batch` rows, transposed: `stride` entries to a column.
  GDBENCH_HOST_DEVICE void take_tile(std::uint64_t step, int first, int rows, int batch, int features, const Place& at,
                                     int stride, T* to) const {
    for (int i = at.thread; i < rows * features; i += at.threads) {
      const int row = i / features;
      to[i % features * stride + row] = x[row_of_data(step, first + row, batch) * features + i % features];
    }
  }
  GDBENCH_HOST_DEVICE void take_targets(std::uint64_t step, int first, int rows, int batch, int columns,
                                        bool are_labels, const Place& at, int stride, T* to) const {
    for (int i = at.thread; i < rows * columns; i += at.threads) {
      const int row = i / columns;
      const std::int64_t from = row_of_data(step, first + row, batch) * columns + i % columns;
      to[i % columns * stride + row] = are_labels ? static_cast<T>(labels[from]) : targets[from];
    }
  }

 private:
  GDBENCH_HOST_DEVICE std::int64_t row_of_data(std::uint64_t step, int row, int batch) const {
    return index == nullptr ? row : index[static_cast<std::int64_t>(step) * batch + row];
  }
};

// sum += factor * rows. By value: the copy is one load of a whole pack.
template <class T>
GDBENCH_HOST_DEVICE void add(Pack<T> rows, T factor, Pack<T>& sum) {
  for (int row = 0; row < kPackWidth<T>; ++row) sum.entries[row] += rows.entries[row] * factor;
}

// sums[r] += in[r]' deltas, over `packs` packs.
template <class T, int n>
GDBENCH_HOST_DEVICE void sum_products(const Pack<T>* const (&in)[n], const Pack<T>* deltas, int packs, T (&sums)[n]) {
  for (int pack = 0; pack < packs; ++pack) {
    const Pack<T> delta = deltas[pack];
    for (int r = 0; r < n; ++r) {
      const Pack<T> input = in[r][pack];
      for (int row = 0; row < kPackWidth<T>; ++row) sums[r] += input.entries[row] * delta.entries[row];
    }
  }
}

// One kernel for all networks and optimizers of a type: what it branches by is the same for all threads.
template <class T>
struct RegionProgram : RegionBuffers<T> {
  static constexpr int kWidth = kPackWidth<T>;
  // Rows of weights whose gradients a thread sums at once.
  static constexpr int kRowsAtOnce = 4;

  RegionShape<T> shape;
  UpdateConstants<T> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;
  T* partials = nullptr;  // [2, blocks, parameters] of a grid: as `gradients` of the shape

  // Before the first step: nothing, then everything that stays in the arena. After the last one: back to where it came
  // from.
  GDBENCH_HOST_DEVICE void clear(const Place& at, T* arena) const {
    for (int i = at.thread; i < shape.arena; i += at.threads) arena[i] = 0;
  }
  GDBENCH_HOST_DEVICE void load(const Place& at, T* arena) const {
    for (int l = 0; l < shape.layer_count; ++l) {
      const RegionLayer& layer = shape.layers[l];
      for_each_parameter(layer, at, [&](int own, int theirs) { this->load_parameter(shape, own, theirs, arena); });
      for (int i = at.thread; i < shape.packs * kWidth; i += at.threads) {
        arena[layer.input + layer.inputs * shape.packs * kWidth + i] = 1;
      }
    }
    if (this->index == nullptr) take_rows(0, at, arena);
  }
  GDBENCH_HOST_DEVICE void leave(const Place& at, T* arena) const {
    if (at.block != 0) return;
    for (int l = 0; l < shape.layer_count; ++l) {
      for_each_parameter(shape.layers[l], at,
                         [&](int own, int theirs) { this->store_parameter(shape, own, theirs, arena); });
    }
  }

  // Phases of a step: the tile of X where it is another one in each step, forward by layer, the loss, backward by
  // layer, gradients, the update.
  GDBENCH_HOST_DEVICE int phases() const { return 2 * shape.layer_count + (this->index == nullptr ? 2 : 3); }
  // Whether all blocks have to wait after a phase: gradients of all of them are needed next.
  GDBENCH_HOST_DEVICE bool waits_for_all(int phase) const { return shape.blocks > 1 && phase == phases() - 2; }

  GDBENCH_HOST_DEVICE void run(int phase, std::uint64_t step, const Place& at, T* arena) const {
    const int layers = shape.layer_count;
    const int part = this->index == nullptr ? phase + 1 : phase;
    if (part == 0) {
      take_rows(step, at, arena);
    } else if (part <= layers) {
      // Scalars are there when the update needs them.
      if (part == 1 && at.thread == 0) copy_ahead(scalars_in(arena), this->scalars + step);
      forward(shape.layers[part - 1], at, arena);
    } else if (part == layers + 1) {
      output_gradient(at, arena);
    } else if (part <= 2 * layers) {
      backward(2 * layers - part, at, arena);
    } else if (part == 2 * layers + 1) {
      for (int l = 0; l < layers; ++l) sum_gradients(shape.layers[l], step, at, arena);
      if (at.thread == 0) await_copies();
    } else {
      update(step, at, arena);
    }
  }

 private:
  using Rows = Pack<T>;

  GDBENCH_HOST_DEVICE UpdateScalars* scalars_in(T* arena) const {
    return reinterpret_cast<UpdateScalars*>(arena + shape.scalars);
  }
  GDBENCH_HOST_DEVICE Rows* column(T* arena, int start, int number) const {
    return reinterpret_cast<Rows*>(arena + start) + number * shape.packs;
  }
  GDBENCH_HOST_DEVICE int first_row(const Place& at) const { return at.block * shape.tile_rows; }
  GDBENCH_HOST_DEVICE int rows_of(const Place& at) const {
    const int left = shape.rows - first_row(at);
    return left < shape.tile_rows ? (left > 0 ? left : 0) : shape.tile_rows;
  }
  GDBENCH_HOST_DEVICE int packs_of(const Place& at) const { return (rows_of(at) + kWidth - 1) / kWidth; }

  // body(where it is in the arena, where it is in the blocks) for every parameter of a layer.
  template <class Body>
  GDBENCH_HOST_DEVICE void for_each_parameter(const RegionLayer& layer, const Place& at, const Body& body) const {
    const int weights = layer.inputs * layer.outputs;
    for (int i = at.thread; i < weights; i += at.threads) {
      body(layer.parameters + i / layer.outputs * layer.stride + i % layer.outputs, layer.weights_from + i);
    }
    if (!layer.has_bias) return;
    for (int i = at.thread; i < layer.outputs; i += at.threads) {
      body(layer.parameters + layer.inputs * layer.stride + i, layer.bias_from + i);
    }
  }

  GDBENCH_HOST_DEVICE void take_rows(std::uint64_t step, const Place& at, T* arena) const {
    const int columns = shape.labels ? 1 : shape.layers[shape.layer_count - 1].outputs;
    const int stride = shape.packs * kWidth;
    this->take_tile(step, first_row(at), rows_of(at), shape.rows, shape.layers[0].inputs, at, stride,
                    arena + shape.layers[0].input);
    this->take_targets(step, first_row(at), rows_of(at), shape.rows, columns, shape.labels, at, stride,
                       arena + shape.targets);
  }

  GDBENCH_HOST_DEVICE void forward(const RegionLayer& layer, const Place& at, T* arena) const {
    const int items = layer.outputs * packs_of(at);
    for (int i = at.thread; i < items; i += at.threads) {
      const int pack = layer.by_outputs.quotient(i);
      const int output = layer.by_outputs.remainder(i);
      const Rows* in = column(arena, layer.input, 0) + pack;
      const T* weights = arena + layer.parameters + output;
      Rows z{};
      for (int p = 0; p <= layer.inputs; ++p) add(in[p * shape.packs], weights[p * layer.stride], z);
      column(arena, layer.told_by, output)[pack] = z;  // and written over, where that is the output
      activate(layer.activation, z.entries);
      column(arena, layer.output, output)[pack] = z;
    }
  }

  // Deltas of the last layer: the loss's gradient times f'; 0 of rows that are not there.
  GDBENCH_HOST_DEVICE void output_gradient(const Place& at, T* arena) const {
    const RegionLayer& layer = shape.layers[shape.layer_count - 1];
    if (shape.labels) return softmax_gradient(layer, at, arena);
    const int items = layer.outputs * packs_of(at);
    for (int i = at.thread; i < items; i += at.threads) {
      const int pack = layer.by_outputs.quotient(i);
      const int output = layer.by_outputs.remainder(i);
      Rows delta = column(arena, layer.output, output)[pack];
      take_loss_slope(shape.loss, column(arena, shape.targets, output)[pack].entries, shape.huber_delta, delta.entries);
      multiply_by_derivative(layer.activation, column(arena, layer.told_by, output)[pack].entries, delta.entries);
      for (int row = 0; row < kWidth; ++row) {
        delta.entries[row] = pack * kWidth + row < rows_of(at) ? shape.loss_scale * delta.entries[row] : T(0);
      }
      column(arena, layer.deltas, output)[pack] = delta;
    }
  }

  // A thread has a row; the loss's output is not activated.
  GDBENCH_HOST_DEVICE void softmax_gradient(const RegionLayer& layer, const Place& at, T* arena) const {
    const int stride = shape.packs * kWidth;
    for (int row = at.thread; row < packs_of(at) * kWidth; row += at.threads) {
      const T* logits = arena + layer.output + row;
      const T* told = arena + layer.told_by + row;
      T* deltas = arena + layer.deltas + row;
      T shift = logits[0];
      for (int j = 1; j < layer.outputs; ++j) shift = logits[j * stride] > shift ? logits[j * stride] : shift;
      T sum = 0;
      for (int j = 0; j < layer.outputs; ++j) sum += std::exp(logits[j * stride] - shift);
      const T label = arena[shape.targets + row];
      const T scale = row < rows_of(at) ? shape.loss_scale : T(0);
      for (int j = 0; j < layer.outputs; ++j) {
        const T share = std::exp(logits[j * stride] - shift) / sum;
        const T one[1] = {told[j * stride]};
        T delta[1] = {scale * (share - (label == static_cast<T>(j) ? T(1) : T(0)))};
        multiply_by_derivative(layer.activation, one, delta);
        deltas[j * stride] = delta[0];
      }
    }
  }

  // Deltas of layer l from those of the layer behind it.
  GDBENCH_HOST_DEVICE void backward(int l, const Place& at, T* arena) const {
    const RegionLayer& layer = shape.layers[l];
    const RegionLayer& behind = shape.layers[l + 1];
    const int items = layer.outputs * packs_of(at);
    for (int i = at.thread; i < items; i += at.threads) {
      const int pack = layer.by_outputs.quotient(i);
      const int output = layer.by_outputs.remainder(i);
      const Rows* deltas = column(arena, behind.deltas, 0) + pack;
      const T* weights = arena + behind.parameters + output * behind.stride;
      Rows sum{};
      for (int j = 0; j < behind.outputs; ++j) add(deltas[j * shape.packs], weights[j], sum);
      multiply_by_derivative(layer.activation, column(arena, layer.told_by, output)[pack].entries, sum.entries);
      column(arena, layer.deltas, output)[pack] = sum;
    }
  }

  // Of a layer's parameters over the block's rows. A thread has a column of weights and every so many rows of them.
  GDBENCH_HOST_DEVICE void sum_gradients(const RegionLayer& layer, std::uint64_t step, const Place& at,
                                         T* arena) const {
    const int rows = layer.parameter_rows();
    const int groups = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
    const int packs = packs_of(at);
    T* gradients = gradients_of(step, at, arena) + layer.parameters;
    for (int i = at.thread; i < groups * layer.outputs; i += at.threads) {
      const int group = layer.by_outputs.quotient(i);
      const int output = layer.by_outputs.remainder(i);
      const Rows* in[kRowsAtOnce];
      for (int r = 0; r < kRowsAtOnce; ++r) {
        const int row = group + r * groups;
        in[r] = column(arena, layer.input, row < rows ? row : group);
      }
      T sums[kRowsAtOnce] = {};
      sum_products(in, column(arena, layer.deltas, output), packs, sums);
      for (int r = 0; r < kRowsAtOnce; ++r) {
        const int row = group + r * groups;
        if (row < rows) gradients[row * layer.stride + output] = sums[r];
      }
    }
  }

  // Of a step, where all blocks find what block `block` has summed.
  GDBENCH_HOST_DEVICE T* gradients_of(std::uint64_t step, const Place& at, T* arena) const {
    const int turn = static_cast<int>(step % 2);
    if (shape.blocks == 1 || shape.cluster) return arena + shape.gradients + turn * shape.parameters;
    return partials + (static_cast<std::int64_t>(turn) * shape.blocks + at.block) * shape.parameters;
  }

  // By the same additions in every block, so that all copies stay the same.
  GDBENCH_HOST_DEVICE void update(std::uint64_t step, const Place& at, T* arena) const {
    const UpdateStep<T> rule(constants, *scalars_in(arena));
    for (int i = at.thread; i < shape.parameters; i += at.threads) {
      T gradient = 0;
      for (int block = 0; block < shape.blocks; ++block) {
        const Place theirs{block, at.thread, at.threads};
        T* there = shape.cluster ? arena_of_block(arena, block, at.block, shape.arena) : arena;
        gradient += gradients_of(step, theirs, there)[i];
      }
      T* first = arena + shape.parameters + i;
      arena[i] = updated_by(optimizer, decay, rule, arena[i], gradient, first, first + shape.parameters);
    }
  }
};

}  // namespace gdbench::backends::cuda
