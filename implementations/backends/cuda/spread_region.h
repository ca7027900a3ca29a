// The training of a network whose parameters are more than a block can hold, as one kernel of a cluster of blocks: each
// block has some columns of every layer's weights in its shared memory, and all rows of the batch. It computes its
// columns of each layer's outputs, which it writes to all blocks, and what its columns add to the deltas of the layer
// before, which the owners of those columns collect. Gradients are complete where the parameters are, so that these are
// updated by the thread that sums them.
//
// The arena is laid out as in region.h. Between two barriers no block reads what another writes: outputs
// are read for the last time before the last barrier of a step, and sums before the second one of the next.
#pragma once

#include <cmath>
#include <cstdint>

#include "implementations/backends/cuda/region_parts.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

// RegionLayer's parameters, `argument` and `deltas` are of the block's own columns.
struct SpreadLayer : RegionLayer {
  int width = 0;  // columns of a block, at most
  Divisor by_width;
  bool derivative_of_input = false;  // `argument` is what the activation was applied to; false: its result
  int sums = 0;  // [outputs columns], what the block's columns of the layer behind add to this one's deltas
};

template <class T>
struct SpreadShape : RegionSizes<T> {
  SpreadLayer layers[kMaxRegionLayers];
  int slice_sums = 0;  // [slices, packs, width]
};

template <class T>
struct SpreadProgram : RegionBuffers<T> {
  using Rows = Pack<T>;
  static constexpr int kWidth = kPackWidth<T>;
  static constexpr int kRowsAtOnce = 4;

  SpreadShape<T> shape;
  UpdateConstants<T> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;

  // As RegionProgram has them.
  GDBENCH_HOST_DEVICE void load(const Place& at, T* arena) const {
    for (int l = 0; l < shape.layer_count; ++l) {
      const SpreadLayer& layer = shape.layers[l];
      for_each_parameter(layer, at, [&](int own, int theirs) { this->load_parameter(shape, own, theirs, arena); });
      for (int i = at.thread; i < shape.packs * kWidth; i += at.threads) {
        arena[layer.input + layer.inputs * shape.packs * kWidth + i] = 1;
      }
    }
    if (this->index == nullptr) take_rows(0, at, arena);
  }
  GDBENCH_HOST_DEVICE void leave(const Place& at, T* arena) const {
    for (int l = 0; l < shape.layer_count; ++l) {
      for_each_parameter(shape.layers[l], at,
                         [&](int own, int theirs) { this->store_parameter(shape, own, theirs, arena); });
    }
  }

  // Phases of a step: the rows; forward by layer, in slices and their sum; the loss; for each layer but the first, from
  // the last one on: what it adds to the deltas before it, its update, and the collection of deltas; the first's
  // update.
  GDBENCH_HOST_DEVICE int phases() const { return 1 + 2 * shape.layer_count + 1 + 3 * (shape.layer_count - 1) + 1; }
  GDBENCH_HOST_DEVICE bool waits_for_all(int phase) const {
    const int backward = phase - first_backward();
    if (backward >= 0) return backward < 3 * (shape.layer_count - 1) && backward % 3 == 1;
    return phase > 0 && phase % 2 == 0 && phase < first_backward() - 1;
  }

  GDBENCH_HOST_DEVICE void run(int phase, std::uint64_t step, const Place& at, T* arena) const {
    const int backward = phase - first_backward();
    if (phase == 0) {
      if (at.thread == 0) this->fetch_scalars(shape, step, arena);
      if (this->index != nullptr) take_rows(step, at, arena);
    } else if (phase < first_backward() - 1) {
      const SpreadLayer& layer = shape.layers[(phase - 1) / 2];
      phase % 2 == 1 ? sum_slices(layer, at, arena) : finish_outputs(layer, at, arena);
    } else if (backward < 0) {
      output_gradient(at, arena);
      if (at.thread == 0) this->await_scalars(shape, step);
    } else {
      const int l = shape.layer_count - 1 - backward / 3;
      if (l == 0) return learn(shape.layers[0], step, at, arena);
      if (backward % 3 == 0) return spread_deltas(shape.layers[l], shape.layers[l - 1], at, arena);
      if (backward % 3 == 1) return learn(shape.layers[l], step, at, arena);
      collect_deltas(shape.layers[l - 1], at, arena);
    }
  }

 private:
  GDBENCH_HOST_DEVICE int first_backward() const { return 2 + 2 * shape.layer_count; }
  GDBENCH_HOST_DEVICE Rows* column(T* arena, int start, int number) const {
    return reinterpret_cast<Rows*>(arena + start) + number * shape.packs;
  }
  GDBENCH_HOST_DEVICE int packs_in_use() const { return (shape.rows + kWidth - 1) / kWidth; }
  GDBENCH_HOST_DEVICE int first_column(const SpreadLayer& layer, const Place& at) const {
    return at.block * layer.width;
  }
  GDBENCH_HOST_DEVICE int columns_of(const SpreadLayer& layer, const Place& at) const {
    const int left = layer.outputs - first_column(layer, at);
    return left < layer.width ? (left > 0 ? left : 0) : layer.width;
  }

  template <class Body>
  GDBENCH_HOST_DEVICE void for_each_parameter(const SpreadLayer& layer, const Place& at, const Body& body) const {
    const int columns = columns_of(layer, at);
    for (int i = at.thread; i < layer.parameter_rows() * columns; i += at.threads) {
      const int row = i / columns;
      const int output = first_column(layer, at) + i % columns;
      const int from = row < layer.inputs ? layer.weights_from + row * layer.outputs : layer.bias_from;
      body(layer.parameters + row * layer.stride + i % columns, from + output);
    }
  }

  // Targets of all columns: the first of them are as many as there are.
  GDBENCH_HOST_DEVICE void take_rows(std::uint64_t step, const Place& at, T* arena) const {
    const int columns = shape.labels ? 1 : shape.layers[shape.layer_count - 1].outputs;
    const int stride = shape.packs * kWidth;
    this->take_tile(step, 0, shape.rows, shape.rows, shape.layers[0].inputs, at, stride, arena + shape.layers[0].input);
    this->take_targets(step, 0, shape.rows, shape.rows, columns, shape.labels, at, stride, arena + shape.targets);
  }

  GDBENCH_HOST_DEVICE void sum_slices(const SpreadLayer& layer, const Place& at, T* arena) const {
    const int columns = columns_of(layer, at);
    const int packs = packs_in_use();
    const int items = layer.slices * packs * layer.width;
    for (int i = at.thread; i < items; i += at.threads) {
      const int output = layer.by_width.remainder(i);
      const int pack = layer.by_width.quotient(i) % packs;
      const int slice = layer.by_width.quotient(i) / packs;
      if (output >= columns) continue;
      const Rows* in = column(arena, layer.input, 0) + pack;
      const T* weights = arena + layer.parameters + output;
      Rows z{};
      add_products(in, shape.packs, weights, layer.stride, slice, layer.slices, layer.inputs + 1, z);
      reinterpret_cast<Rows*>(arena + shape.slice_sums)[i] = z;
    }
  }

  GDBENCH_HOST_DEVICE void finish_outputs(const SpreadLayer& layer, const Place& at, T* arena) const {
    const int columns = columns_of(layer, at);
    const int packs = packs_in_use();
    for (int i = at.thread; i < packs * layer.width; i += at.threads) {
      const int output = layer.by_width.remainder(i);
      const int pack = layer.by_width.quotient(i);
      if (output >= columns) continue;
      const auto slice = [&](int number) {
        return reinterpret_cast<const Rows*>(arena + shape.slice_sums)[number * packs * layer.width + i];
      };
      Rows z = sum_of_packs<T>(slice, 0, 1, layer.slices);
      if (layer.derivative_of_input) column(arena, layer.argument, output)[pack] = z;
      activate(layer.activation, z.entries);
      if (!layer.derivative_of_input) column(arena, layer.argument, output)[pack] = z;
      for (int block = 0; block < shape.blocks; ++block) {
        T* there = arena_of_block(arena, block, at.block, shape.arena);
        column(there, layer.output, first_column(layer, at) + output)[pack] = z;
      }
    }
  }

  // As in region.h, of the block's own columns.
  GDBENCH_HOST_DEVICE void output_gradient(const Place& at, T* arena) const {
    const SpreadLayer& layer = shape.layers[shape.layer_count - 1];
    const int columns = columns_of(layer, at);
    for (int i = at.thread; i < packs_in_use() * layer.width; i += at.threads) {
      const int output = layer.by_width.remainder(i);
      const int pack = layer.by_width.quotient(i);
      if (output >= columns) continue;
      const int number = first_column(layer, at) + output;
      Rows delta = column(arena, layer.output, number)[pack];
      if (shape.labels) {
        take_softmax_slope(layer, number, pack, arena, delta);
      } else {
        take_loss_slope(shape.loss, column(arena, shape.targets, number)[pack].entries, shape.huber_delta,
                        delta.entries);
      }
      multiply_by_derivative(layer.activation, column(arena, layer.argument, output)[pack].entries, delta.entries);
      for (int row = 0; row < kWidth; ++row) {
        delta.entries[row] = pack * kWidth + row < shape.rows ? shape.loss_scale * delta.entries[row] : T(0);
      }
      column(arena, layer.deltas, output)[pack] = delta;
    }
  }

  // delta = softmax of column `number` less 1 where it is the label.
  GDBENCH_HOST_DEVICE void take_softmax_slope(const SpreadLayer& layer, int number, int pack, T* arena,
                                              Rows& delta) const {
    const Rows* logits = column(arena, layer.output, 0) + pack;
    const Rows wanted = column(arena, shape.targets, 0)[pack];
    for (int row = 0; row < kWidth; ++row) {
      T shift = logits[0].entries[row];
      for (int j = 1; j < layer.outputs; ++j) {
        const T logit = logits[j * shape.packs].entries[row];
        shift = logit > shift ? logit : shift;
      }
      T sum = 0;
      for (int j = 0; j < layer.outputs; ++j) sum += std::exp(logits[j * shape.packs].entries[row] - shift);
      delta.entries[row] =
          std::exp(delta.entries[row] - shift) / sum - (wanted.entries[row] == static_cast<T>(number) ? T(1) : T(0));
    }
  }

  GDBENCH_HOST_DEVICE void spread_deltas(const SpreadLayer& layer, const SpreadLayer& before, const Place& at,
                                         T* arena) const {
    const int columns = columns_of(layer, at);
    for (int i = at.thread; i < packs_in_use() * before.outputs; i += at.threads) {
      const int input = before.by_outputs.remainder(i);
      const int pack = before.by_outputs.quotient(i);
      const Rows* deltas = column(arena, layer.deltas, 0) + pack;
      const T* weights = arena + layer.parameters + input * layer.stride;
      Rows sum{};
      add_products(deltas, shape.packs, weights, 1, 0, 1, columns, sum);
      column(arena, before.sums, input)[pack] = sum;
    }
  }

  // By the same additions, in whichever order the blocks end.
  GDBENCH_HOST_DEVICE void collect_deltas(const SpreadLayer& layer, const Place& at, T* arena) const {
    const int columns = columns_of(layer, at);
    for (int i = at.thread; i < packs_in_use() * layer.width; i += at.threads) {
      const int output = layer.by_width.remainder(i);
      const int pack = layer.by_width.quotient(i);
      if (output >= columns) continue;
      const auto sums = [&](int block) {
        T* there = arena_of_block(arena, block, at.block, shape.arena);
        return column(there, layer.sums, first_column(layer, at) + output)[pack];
      };
      Rows sum = sum_of_packs<T>(sums, 0, 1, shape.blocks);
      multiply_by_derivative(layer.activation, column(arena, layer.argument, output)[pack].entries, sum.entries);
      column(arena, layer.deltas, output)[pack] = sum;
    }
  }

  // The gradients of the block's columns of a layer, and its update by them.
  GDBENCH_HOST_DEVICE void learn(const SpreadLayer& layer, std::uint64_t step, const Place& at, T* arena) const {
    const UpdateStep<T> rule(constants, *this->scalars_of(shape, step, arena));
    const int rows = layer.parameter_rows();
    const int groups = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
    const int columns = columns_of(layer, at);
    for (int i = at.thread; i < groups * layer.width; i += at.threads) {
      const int group = layer.by_width.quotient(i);
      const int output = layer.by_width.remainder(i);
      if (output >= columns) continue;
      const Rows* in[kRowsAtOnce];
      for (int r = 0; r < kRowsAtOnce; ++r) {
        const int row = group + r * groups;
        in[r] = column(arena, layer.input, row < rows ? row : group);
      }
      T sums[kRowsAtOnce] = {};
      sum_products(in, column(arena, layer.deltas, output), 0, 1, packs_in_use(), sums);
      for (int r = 0; r < kRowsAtOnce; ++r) {
        const int row = group + r * groups;
        if (row >= rows) continue;
        T* value = arena + layer.parameters + row * layer.stride + output;
        T* first = value + shape.parameters;
        *value = updated_by(optimizer, decay, rule, *value, sums[r], first, first + shape.parameters);
      }
    }
  }
};

}  // namespace gdbench::backends::cuda
