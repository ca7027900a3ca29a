// The training of a small network as one kernel: parameters and slots lie in the shared memory of each block and stay
// there for all steps. A block has a part of the batch's rows, so that gradients of all blocks are added up after they
// have waited for each other. In a cluster each block does that for a share of the parameters, which it owns: it reads
// the others' gradients from their shared memory, updates, and writes what came out to all blocks, which wait for each
// other once more. In a grid gradients lie in the device's memory, and each block adds up all of them.
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

#include "implementations/backends/cuda/region_parts.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

// One kernel for all networks and optimizers of a type: what it branches by is the same for all threads.
template <class T>
struct RegionProgram : RegionBuffers<T> {
  static constexpr int kWidth = kPackWidth<T>;
  // Rows of weights whose gradients a thread sums at once.
  static constexpr int kRowsAtOnce = 4;

  GDBENCH_HOST_DEVICE static int groups_of(const RegionLayer& layer) {
    return (layer.parameter_rows() + kRowsAtOnce - 1) / kRowsAtOnce;
  }
  GDBENCH_HOST_DEVICE static int gradient_items_of(const RegionLayer& layer) {
    return groups_of(layer) * layer.outputs;
  }

  RegionShape<T> shape;
  UpdateConstants<T> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;
  // [2, blocks, parameters], gradients of even and of odd steps of a grid's blocks, for a single barrier a step.
  T* partials = nullptr;

  // Before the first step: all that stays in the arena, which was cleared. After the last one: back to its origin.
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
    for (int l = 0; l < shape.layer_count; ++l) {
      for_each_parameter(shape.layers[l], at, [&](int own, int theirs) {
        const int owner = shape.cluster ? own / kWidth / shape.owned_packs : 0;
        if (owner == at.block) this->store_parameter(shape, own, theirs, arena);
      });
    }
  }

  GDBENCH_HOST_DEVICE int phases() const { return shape.phases; }
  GDBENCH_HOST_DEVICE bool waits_for_all(int phase) const { return shape.plan[phase].meets; }

  GDBENCH_HOST_DEVICE void run(int phase, std::uint64_t step, const Place& at, T* arena) const {
    const RegionStep now = shape.plan[phase];
    if (phase == 0 && at.thread == 0) this->fetch_scalars(shape, step, arena);
    switch (now.phase) {
      case RegionPhase::take_rows:
        return take_rows(step, at, arena);
      case RegionPhase::forward:
        return forward(shape.layers[now.layer], at, arena);
      case RegionPhase::add_slices:
        return add_slices(shape.layers[now.layer], at, arena);
      case RegionPhase::output_gradient:
        return softmax_gradient(shape.layers[now.layer], at, arena);
      case RegionPhase::backward:
        return backward(now.layer, at, arena);
      case RegionPhase::sum_gradients:
        sum_gradients(step, at, arena);
        if (at.thread == 0) this->await_scalars(shape, step);
        return;
      case RegionPhase::add_gradients:
        return add_gradients(step, at, arena);
      case RegionPhase::collect:
        return shape.cluster ? collect_owned(at, arena) : collect(step, at, arena);
      case RegionPhase::update:
        return shape.cluster ? update_owned(step, at, arena) : update(step, at, arena);
    }
  }

 private:
  using Rows = Pack<T>;

  GDBENCH_HOST_DEVICE Rows* column(T* arena, int start, int number) const {
    return reinterpret_cast<Rows*>(arena + start) + number * shape.packs;
  }
  GDBENCH_HOST_DEVICE int first_row(const Place& at) const { return at.block * shape.tile_rows; }
  GDBENCH_HOST_DEVICE int rows_of(const Place& at) const {
    const int left = shape.rows - first_row(at);
    return left < shape.tile_rows ? (left > 0 ? left : 0) : shape.tile_rows;
  }
  GDBENCH_HOST_DEVICE int packs_of(const Place& at) const { return (rows_of(at) + kWidth - 1) / kWidth; }

  GDBENCH_HOST_DEVICE void take_rows(std::uint64_t step, const Place& at, T* arena) const {
    const int columns = shape.labels ? 1 : shape.layers[shape.layer_count - 1].outputs;
    const int stride = shape.packs * kWidth;
    this->take_tile(step, first_row(at), rows_of(at), shape.rows, shape.layers[0].inputs, at, stride,
                    arena + shape.layers[0].input);
    this->take_targets(step, first_row(at), rows_of(at), shape.rows, columns, shape.labels, at, stride,
                       arena + shape.targets);
  }

  GDBENCH_HOST_DEVICE Rows* slices_in(T* arena) const { return reinterpret_cast<Rows*>(arena + shape.slice_sums); }
  GDBENCH_HOST_DEVICE Rows* sums_in(T* arena) const { return reinterpret_cast<Rows*>(arena + shape.gradient_sums); }

  GDBENCH_HOST_DEVICE void forward(const RegionLayer& layer, const Place& at, T* arena) const {
    const int packs = packs_of(at);
    const int items = layer.outputs * (layer.slices == 1 ? packs : shape.packs * layer.slices);
    for (int i = at.thread; i < items; i += at.threads) {
      const int output = layer.by_outputs.remainder(i);
      const int pack_and_slice = layer.by_outputs.quotient(i);
      const int slice = layer.slices == 1 ? 0 : layer.by_packs.quotient(pack_and_slice);
      const int pack = pack_and_slice - slice * shape.packs;
      if (pack >= packs) continue;
      const Rows* in = column(arena, layer.input, 0) + pack;
      const T* weights = arena + layer.parameters + output;
      Rows z{};
      add_products(in, shape.packs, weights, layer.stride, slice, layer.slices, layer.inputs + 1, z);
      if (layer.slices == 1) {
        finish_output(layer, output, pack, z, at, arena);
      } else {
        slices_in(arena)[i] = z;
      }
    }
  }

  GDBENCH_HOST_DEVICE void add_slices(const RegionLayer& layer, const Place& at, T* arena) const {
    const int items = layer.outputs * shape.packs;
    for (int i = at.thread; i < layer.outputs * packs_of(at); i += at.threads) {
      const auto slice = [&](int number) { return slices_in(arena)[number * items + i]; };
      finish_output(layer, layer.by_outputs.remainder(i), layer.by_outputs.quotient(i),
                    sum_of_packs<T>(slice, 0, 1, layer.slices), at, arena);
    }
  }

  // From what the activation is applied to.
  GDBENCH_HOST_DEVICE void finish_output(const RegionLayer& layer, int output, int pack, Rows z, const Place& at,
                                         T* arena) const {
    column(arena, layer.argument, output)[pack] = z;  // and written over, where that is the output
    activate(layer.activation, z.entries);
    column(arena, layer.output, output)[pack] = z;
    const bool is_last = &layer == &shape.layers[shape.layer_count - 1];
    if (is_last && !shape.labels) output_gradient(layer, output, pack, z, at, arena);
  }

  // Deltas of the last layer: the loss's gradient times f'; 0 of rows that are not there.
  GDBENCH_HOST_DEVICE void output_gradient(const RegionLayer& layer, int output, int pack, Rows delta, const Place& at,
                                           T* arena) const {
    take_loss_slope(shape.loss, column(arena, shape.targets, output)[pack].entries, shape.huber_delta, delta.entries);
    multiply_by_derivative(layer.activation, column(arena, layer.argument, output)[pack].entries, delta.entries);
    for (int row = 0; row < kWidth; ++row) {
      delta.entries[row] = pack * kWidth + row < rows_of(at) ? shape.loss_scale * delta.entries[row] : T(0);
    }
    column(arena, layer.deltas, output)[pack] = delta;
  }

  // A thread has a row; the loss's output is not activated.
  GDBENCH_HOST_DEVICE void softmax_gradient(const RegionLayer& layer, const Place& at, T* arena) const {
    const int stride = shape.packs * kWidth;
    for (int row = at.thread; row < packs_of(at) * kWidth; row += at.threads) {
      const T* logits = arena + layer.output + row;
      const T* arguments = arena + layer.argument + row;
      T* deltas = arena + layer.deltas + row;
      T shift = logits[0];
      for (int j = 1; j < layer.outputs; ++j) shift = logits[j * stride] > shift ? logits[j * stride] : shift;
      T sum = 0;
      for (int j = 0; j < layer.outputs; ++j) sum += std::exp(logits[j * stride] - shift);
      const T label = arena[shape.targets + row];
      const T scale = row < rows_of(at) ? shape.loss_scale : T(0);
      for (int j = 0; j < layer.outputs; ++j) {
        const T share = std::exp(logits[j * stride] - shift) / sum;
        const T one[1] = {arguments[j * stride]};
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
      add_products(deltas, shape.packs, weights, 1, 0, 1, behind.outputs, sum);
      multiply_by_derivative(layer.activation, column(arena, layer.argument, output)[pack].entries, sum.entries);
      column(arena, layer.deltas, output)[pack] = sum;
    }
  }

  // Of all parameters over the block's rows. An item is a column of a layer's weights and every so many rows of them.
  GDBENCH_HOST_DEVICE void sum_gradients(std::uint64_t step, const Place& at, T* arena) const {
    const bool within = shape.cluster || shape.blocks == 1 || shape.gradient_slices > 1;
    T* sums = within ? arena + shape.gradient_sums : gradients_of(step, at.block);
    for (int i = at.thread; i < shape.gradient_items * shape.gradient_slices; i += at.threads) {
      const int slice = shape.gradient_slices > 1 ? shape.by_gradient_items.quotient(i) : 0;
      int item = i - slice * shape.gradient_items;
      int l = 0;
      while (item >= gradient_items_of(shape.layers[l])) item -= gradient_items_of(shape.layers[l++]);
      sum_gradients_of(shape.layers[l], item, slice, at, arena, sums + slice * shape.parameters);
    }
  }

  GDBENCH_HOST_DEVICE void sum_gradients_of(const RegionLayer& layer, int item, int slice, const Place& at, T* arena,
                                            T* gradients) const {
    const int rows = layer.parameter_rows();
    const int groups = groups_of(layer);
    const int group = layer.by_outputs.quotient(item);
    const int output = layer.by_outputs.remainder(item);
    const Rows* in[kRowsAtOnce];
    for (int r = 0; r < kRowsAtOnce; ++r) {
      const int row = group + r * groups;
      in[r] = column(arena, layer.input, row < rows ? row : group);
    }
    T sums[kRowsAtOnce] = {};
    sum_products(in, column(arena, layer.deltas, output), slice, shape.gradient_slices, packs_of(at), sums);
    for (int r = 0; r < kRowsAtOnce; ++r) {
      const int row = group + r * groups;
      if (row < rows) gradients[layer.parameters + row * layer.stride + output] = sums[r];
    }
  }

  GDBENCH_HOST_DEVICE void add_gradients(std::uint64_t step, const Place& at, T* arena) const {
    Rows* sums = reinterpret_cast<Rows*>(gradients_of(step, at.block));
    const int packs = shape.parameters / kWidth;
    for (int i = at.thread; i < packs; i += at.threads) {
      const auto slice = [&](int number) { return sums_in(arena)[number * packs + i]; };
      sums[i] = sum_of_packs<T>(slice, 0, 1, shape.gradient_slices);
    }
  }

  // Of a step, where all blocks of a grid find what block `block` has summed.
  GDBENCH_HOST_DEVICE T* gradients_of(std::uint64_t step, int block) const {
    return partials + (static_cast<std::int64_t>(step % 2) * shape.blocks + block) * shape.parameters;
  }

  // In a grid, by the same additions in every block, so that all copies stay the same.
  GDBENCH_HOST_DEVICE void collect(std::uint64_t step, const Place& at, T* arena) const {
    const int packs = shape.parameters / kWidth;
    for (int i = at.thread; i < packs * shape.collected_slices; i += at.threads) {
      const int slice = i / packs;
      const auto sums = [&](int block) {
        return reinterpret_cast<const Rows*>(gradients_of(step, block))[i - slice * packs];
      };
      sums_in(arena)[i] = sum_of_packs<T>(sums, slice, shape.collected_slices, shape.blocks);
    }
  }

  GDBENCH_HOST_DEVICE void update(std::uint64_t step, const Place& at, T* arena) const {
    const UpdateStep<T> rule(constants, *this->scalars_of(shape, step, arena));
    const int packs = shape.parameters / kWidth;
    const int slices = shape.blocks > 1 ? shape.collected_slices : shape.gradient_slices;
    for (int i = at.thread; i < packs; i += at.threads) {
      const auto slice = [&](int number) { return sums_in(arena)[number * packs + i]; };
      update_pack(rule, i, sum_of_packs<T>(slice, 0, 1, slices), arena);
    }
  }

  // Returns the parameters.
  GDBENCH_HOST_DEVICE Rows update_pack(const UpdateStep<T>& rule, int pack, const Rows& gradient, T* arena) const {
    Rows values = reinterpret_cast<Rows*>(arena)[pack];
    for (int e = 0; e < kWidth; ++e) {
      T* first = arena + shape.parameters + pack * kWidth + e;
      values.entries[e] =
          updated_by(optimizer, decay, rule, values.entries[e], gradient.entries[e], first, first + shape.parameters);
    }
    reinterpret_cast<Rows*>(arena)[pack] = values;
    return values;
  }

  // Packs of parameters that the block owns, from this one on.
  GDBENCH_HOST_DEVICE int first_owned(const Place& at) const { return at.block * shape.owned_packs; }
  GDBENCH_HOST_DEVICE int owned_by(const Place& at) const {
    const int left = shape.parameters / kWidth - first_owned(at);
    return left < shape.owned_packs ? (left > 0 ? left : 0) : shape.owned_packs;
  }
  GDBENCH_HOST_DEVICE Rows* collected_in(T* arena) const { return reinterpret_cast<Rows*>(arena + shape.collected); }

  // [owned packs, blocks]: neighbours read from different blocks, which have one memory each.
  GDBENCH_HOST_DEVICE void collect_owned(const Place& at, T* arena) const {
    const int packs = shape.parameters / kWidth;
    for (int i = at.thread; i < owned_by(at) * shape.blocks; i += at.threads) {
      // A pack of each block, then the next pack.
      const int pack = shape.by_blocks.quotient(i);
      const Rows* sums = sums_in(arena_of_block(arena, i - pack * shape.blocks, at.block, shape.arena));
      const auto slice = [&](int number) { return sums[number * packs + first_owned(at) + pack]; };
      collected_in(arena)[i] = sum_of_packs<T>(slice, 0, 1, shape.gradient_slices);
    }
  }

  GDBENCH_HOST_DEVICE void update_owned(std::uint64_t step, const Place& at, T* arena) const {
    const UpdateStep<T> rule(constants, *this->scalars_of(shape, step, arena));
    for (int i = at.thread; i < owned_by(at); i += at.threads) {
      const auto of_block = [&](int block) { return collected_in(arena)[i * shape.blocks + block]; };
      const int pack = first_owned(at) + i;
      const Rows values = update_pack(rule, pack, sum_of_packs<T>(of_block, 0, 1, shape.blocks), arena);
      for (int other = 1; other < shape.blocks; ++other) {
        const int block = at.block + other < shape.blocks ? at.block + other : at.block + other - shape.blocks;
        reinterpret_cast<Rows*>(arena_of_block(arena, block, at.block, shape.arena))[pack] = values;
      }
    }
  }
};

}  // namespace gdbench::backends::cuda
