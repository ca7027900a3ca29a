// The training of a network with one short hidden layer and one output as one kernel of one block or of a cluster. Each
// warp has a few rows of the batch, which stay in its registers as long as they are the same, and each lane one or two
// hidden units: products need no memory, and only the output of a row is a sum over lanes. The warps' gradients are
// added up in the block's memory, then sent to the block that owns the parameter, which updates it and sends it to all.
//
// A step's parts are functions of a thread; between them threads of a warp, of a block or of all blocks wait for each
// other (warp_launch.h).
#pragma once

#include <cstdint>

#include "implementations/backends/cuda/region_parts.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

constexpr int kWarpRegionThreads = 256;

template <class T>
struct WarpShape : RegionSizes<T> {
  RegionLayer layers[2];
  bool derivative_of_input[2] = {};  // a layer's `arguments` are what its activation is applied to
  int warps = 1;                     // of a block
  int sums = 0;                      // [warps, parameters], in the arena
  int owned_packs = 0;               // packs of parameters that a block owns
  Divisor by_owned;
  int collected = 0;  // [blocks, owned packs]
};

template <class T>
struct WarpProgram : RegionBuffers<T> {
  // What registers suffice for: columns of the data, hidden units of a lane, rows of a warp.
  static constexpr int kFeatures = 12;
  static constexpr int kUnits = 2;
  static constexpr int kRows = static_cast<int>(32 / sizeof(T));
  static constexpr int kWidth = kPackWidth<T>;

  struct Lane {
    T x[kRows][kFeatures];
    // Of the row that the lane judges.
    T target;
    T loss_scale;  // 0 where the row is not there
    // Of the lane's hidden units: weights, then the bias; and the weights of the output.
    T weights[kFeatures + 1][kUnits];
    T out[kUnits];
    T hidden[kUnits * kRows];
    T arguments[kUnits * kRows];
    T outputs[kRows];  // the lane's part of them
  };

  WarpShape<T> shape;
  UpdateConstants<T> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;

  // The row that a lane judges: as the sums of rows come to lie when half of them are exchanged with the neighbour,
  // then a quarter with the next but one, and so on.
  GDBENCH_HOST_DEVICE static int row_of_lane(int lane) {
    int row = 0;
    for (int half = kRows / 2, bit = 1; half > 0; half /= 2, bit *= 2) row += (lane & bit) != 0 ? half : 0;
    return row;
  }
  GDBENCH_HOST_DEVICE static int lane_of_row(int row) {
    int lane = 0;
    for (int half = kRows / 2, bit = 1; half > 0; half /= 2, bit *= 2) lane += (row & half) != 0 ? bit : 0;
    return lane;
  }

  GDBENCH_HOST_DEVICE void load(const Place& at, T* arena) const {
    for (const RegionLayer& layer : shape.layers) {
      for_each_parameter(layer, at, [&](int own, int theirs) { this->load_parameter(shape, own, theirs, arena); });
    }
  }
  GDBENCH_HOST_DEVICE void leave(const Place& at, T* arena) const {
    for (const RegionLayer& layer : shape.layers) {
      for_each_parameter(layer, at, [&](int own, int theirs) {
        if (shape.by_owned.quotient(own / kWidth) == at.block) this->store_parameter(shape, own, theirs, arena);
      });
    }
  }

  GDBENCH_HOST_DEVICE void take_rows(std::uint64_t step, const Place& at, Lane& lane) const {
    for (int r = 0; r < kRows; ++r) {
      const int row = first_row(at) + r;
      const bool there = row < shape.rows;
      const std::int64_t from = there ? this->row_of_data(step, row, shape.rows) * inputs() : 0;
      for (int f = 0; f < kFeatures; ++f) lane.x[r][f] = there && f < inputs() ? this->x[from + f] : T(0);
    }
    const int judged = first_row(at) + row_of_lane(at.thread % kLanes);
    const bool there = judged < shape.rows;
    lane.target = there ? this->targets[this->row_of_data(step, judged, shape.rows)] : T(0);
    lane.loss_scale = there ? shape.loss_scale : T(0);
  }

  // Up to the lane's part of the outputs.
  GDBENCH_HOST_DEVICE void forward(std::uint64_t step, const Place& at, Lane& lane, T* arena) const {
    if (at.thread == 0) this->fetch_scalars(shape, step, arena);
    if (step == 0 || this->index != nullptr) take_rows(step, at, lane);
    for (int u = 0; u < kUnits; ++u) {
      const int unit = unit_of(at, u);
      const bool there = unit < hidden();
      const T* weights = arena + unit;
      for (int f = 0; f < kFeatures; ++f) lane.weights[f][u] = there && f < inputs() ? weights[f * hidden()] : T(0);
      lane.weights[kFeatures][u] = there ? weights[inputs() * hidden()] : T(0);
      lane.out[u] = there ? weights[shape.layers[1].parameters] : T(0);
      for (int r = 0; r < kRows; ++r) {
        T z = lane.weights[kFeatures][u];
        for (int f = 0; f < kFeatures; ++f) z += lane.x[r][f] * lane.weights[f][u];
        lane.arguments[u * kRows + r] = z;
        lane.hidden[u * kRows + r] = z;
      }
    }
    activate(shape.layers[0].activation, lane.hidden);
    for (int i = 0; i < kUnits * kRows; ++i)
      lane.arguments[i] = shape.derivative_of_input[0] ? lane.arguments[i] : lane.hidden[i];
    for (int r = 0; r < kRows; ++r) {
      lane.outputs[r] = 0;
      for (int u = 0; u < kUnits; ++u) lane.outputs[r] += lane.hidden[u * kRows + r] * lane.out[u];
    }
  }

  // The loss's gradient with respect to what the last activation is applied to, of the row that the lane judges, by the
  // sum of all lanes' parts of its output.
  GDBENCH_HOST_DEVICE T delta_of(const Lane& lane, T sum, const T* arena) const {
    const RegionLayer& last = shape.layers[1];
    const T z[1] = {sum + arena[last.parameters + hidden()]};
    T delta[1] = {z[0]};
    activate(last.activation, delta);
    const T arguments[1] = {shape.derivative_of_input[1] ? z[0] : delta[0]};
    const T target[1] = {lane.target};
    take_loss_slope(shape.loss, target, shape.huber_delta, delta);
    multiply_by_derivative(last.activation, arguments, delta);
    return lane.loss_scale * delta[0];
  }

  // The gradients of the warp's rows.
  GDBENCH_HOST_DEVICE void backward(std::uint64_t step, const T (&deltas)[kRows], const Place& at, const Lane& lane,
                                    T* arena) const {
    T* sums = arena + shape.sums + at.thread / kLanes * shape.parameters;
    T* sums_of_output = sums + shape.layers[1].parameters;
    T hidden_deltas[kUnits * kRows];
    for (int u = 0; u < kUnits; ++u) {
      for (int r = 0; r < kRows; ++r) hidden_deltas[u * kRows + r] = deltas[r] * lane.out[u];
    }
    multiply_by_derivative(shape.layers[0].activation, lane.arguments, hidden_deltas);
    for (int u = 0; u < kUnits; ++u) {
      const int unit = unit_of(at, u);
      const bool there = unit < hidden();
      for (int f = 0; f < kFeatures; ++f) {
        T sum = 0;
        for (int r = 0; r < kRows; ++r) sum += lane.x[r][f] * hidden_deltas[u * kRows + r];
        if (there && f < inputs()) sums[f * hidden() + unit] = sum;
      }
      T of_bias = 0;
      T of_output = 0;
      for (int r = 0; r < kRows; ++r) {
        of_bias += hidden_deltas[u * kRows + r];
        of_output += deltas[r] * lane.hidden[u * kRows + r];
      }
      if (there && shape.layers[0].has_bias) sums[inputs() * hidden() + unit] = of_bias;
      if (there) sums_of_output[unit] = of_output;
    }
    if (at.thread % kLanes == 0 && shape.layers[1].has_bias) {
      T sum = 0;
      for (const T& delta : deltas) sum += delta;
      sums_of_output[hidden()] = sum;
    }
    if (at.thread == 0) this->await_scalars(shape, step);
  }

  // The block's gradients to those that own the parameters.
  GDBENCH_HOST_DEVICE void send_gradients(const Place& at, T* arena) const {
    const int packs = shape.parameters / kWidth;
    for (int pack = at.thread; pack < packs; pack += at.threads) {
      const auto of_warp = [&](int warp) { return packs_at(arena + shape.sums)[warp * packs + pack]; };
      const int owner = shape.by_owned.quotient(pack);
      T* to = arena_of_block(arena, owner, at.block, shape.arena) + shape.collected;
      packs_at(to)[(at.block - owner) * shape.owned_packs + pack] = sum_of_packs<T>(of_warp, 0, 1, shape.warps);
    }
  }

  GDBENCH_HOST_DEVICE void update(std::uint64_t step, const Place& at, T* arena) const {
    const UpdateStep<T> rule(constants, *this->scalars_of(shape, step, arena));
    const int owned = shape.owned_packs * kWidth;
    for (int i = at.thread; i < owned; i += at.threads) {
      const int own = at.block * owned + i;
      if (own >= shape.parameters) return;
      T gradient = 0;
      in_batches<8>(0, 1, shape.blocks, [&](auto number, int block) {
        constexpr int n = decltype(number)::value;
        T parts[n];
        for (int b = 0; b < n; ++b) parts[b] = arena[shape.collected + (block + b) * owned + i];
        for (const T& part : parts) gradient += part;
      });
      T* slot = arena + shape.parameters + own;
      arena[own] = updated_by(optimizer, decay, rule, arena[own], gradient, slot, slot + shape.parameters);
    }
  }

  // The block's parameters to all others.
  GDBENCH_HOST_DEVICE void send_parameters(const Place& at, T* arena) const {
    for (int i = at.thread; i < shape.owned_packs * shape.blocks; i += at.threads) {
      const int block = shape.by_owned.quotient(i);
      const int pack = (at.block - block) * shape.owned_packs + i;
      if (block == at.block || pack * kWidth >= shape.parameters) continue;
      packs_at(arena_of_block(arena, block, at.block, shape.arena))[pack] = packs_at(arena)[pack];
    }
  }

 private:
  GDBENCH_HOST_DEVICE static Pack<T>* packs_at(T* entries) { return reinterpret_cast<Pack<T>*>(entries); }
  GDBENCH_HOST_DEVICE int inputs() const { return shape.layers[0].inputs; }
  GDBENCH_HOST_DEVICE int hidden() const { return shape.layers[0].outputs; }
  GDBENCH_HOST_DEVICE static int unit_of(const Place& at, int u) { return at.thread % kLanes + u * kLanes; }
  GDBENCH_HOST_DEVICE int first_row(const Place& at) const {
    return (at.block * shape.warps + at.thread / kLanes) * kRows;
  }
};

}  // namespace gdbench::backends::cuda
