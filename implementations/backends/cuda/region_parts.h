// What the programs of whole trainings (region.h, warp_region.h) are made of: where a thread is, what it reads from the
// device's memory, and sums over what lies in shared memory.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#include "implementations/backends/common/call.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/launch.h"
#include "implementations/backends/cuda/region_shape.h"

namespace gdbench::backends::cuda {

// Where a thread is.
struct Place {
  int block = 0;
  int thread = 0;
  int threads = 0;  // of a block
};

// Before anything lies in it: what a block has less of than others counts as zero.
template <class T>
GDBENCH_HOST_DEVICE void clear_arena(int entries, const Place& at, T* arena) {
  for (int i = at.thread; i < entries; i += at.threads) arena[i] = 0;
}

// body(where it is in the arena, where it is in the blocks) for every parameter of a layer.
template <class Body>
GDBENCH_HOST_DEVICE void for_each_parameter(const RegionLayer& layer, const Place& at, const Body& body) {
  const int weights = layer.inputs * layer.outputs;
  for (int i = at.thread; i < weights; i += at.threads) {
    body(layer.parameters + i / layer.outputs * layer.stride + i % layer.outputs, layer.weights_from + i);
  }
  if (!layer.has_bias) return;
  for (int i = at.thread; i < layer.outputs; i += at.threads) {
    body(layer.parameters + layer.inputs * layer.stride + i, layer.bias_from + i);
  }
}

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

  // Those of a step, which are fetched while the step before it runs: the device's memory is far. By one thread, at the
  // beginning of each step, and before their use.
  GDBENCH_HOST_DEVICE UpdateScalars* scalars_of(const RegionSizes<T>& sizes, std::uint64_t step, T* arena) const {
    return reinterpret_cast<UpdateScalars*>(arena + sizes.scalars) + (sizes.scalars_vary ? step % 2 : 0);
  }
  GDBENCH_HOST_DEVICE void fetch_scalars(const RegionSizes<T>& sizes, std::uint64_t step, T* arena) const {
    if (step == 0) copy_ahead(scalars_of(sizes, 0, arena), scalars);
    if (sizes.scalars_vary && step + 1 < steps) copy_ahead(scalars_of(sizes, step + 1, arena), scalars + step + 1);
  }
  GDBENCH_HOST_DEVICE void await_scalars(const RegionSizes<T>& sizes, std::uint64_t step) const {
    if (step == 0 || sizes.scalars_vary) await_copies(sizes.scalars_vary && step + 1 < steps ? 1 : 0);
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

  GDBENCH_HOST_DEVICE std::int64_t row_of_data(std::uint64_t step, int row, int batch) const {
    return index == nullptr ? row : index[static_cast<std::int64_t>(step) * batch + row];
  }
};

// sum += factor * rows. By value: the copy is one load of a whole pack.
template <class T>
GDBENCH_HOST_DEVICE void add(Pack<T> rows, T factor, Pack<T>& sum) {
  for (int row = 0; row < kPackWidth<T>; ++row) sum.entries[row] += rows.entries[row] * factor;
}

// Packs that are read at a time: a load from shared memory takes some 30 cycles, as long as 30 multiplications.
constexpr int kPacksInFlight = 4;

// sum += rows[i] * factors[i] for i = first, first + stride, ... below `count`, by the distances of both.
template <class T>
GDBENCH_HOST_DEVICE void add_products(const Pack<T>* rows, int row_distance, const T* factors, int factor_distance,
                                      int first, int stride, int count, Pack<T>& sum) {
  in_batches<kPacksInFlight>(first, stride, count, [&](auto number, int at) {
    constexpr int n = decltype(number)::value;
    Pack<T> row[n];
    T factor[n];
    for (int i = 0; i < n; ++i) {
      row[i] = rows[(at + i * stride) * row_distance];
      factor[i] = factors[(at + i * stride) * factor_distance];
    }
    for (int i = 0; i < n; ++i) add(row[i], factor[i], sum);
  });
}

// sums[r] += in[r]' deltas, over packs `first`, `first` + `stride`, ... below `packs`.
template <class T, int n>
GDBENCH_HOST_DEVICE void sum_products(const Pack<T>* const (&in)[n], const Pack<T>* deltas, int first, int stride,
                                      int packs, T (&sums)[n]) {
  for (int pack = first; pack < packs; pack += stride) {
    const Pack<T> delta = deltas[pack];
    for (int r = 0; r < n; ++r) {
      const Pack<T> input = in[r][pack];
      for (int row = 0; row < kPackWidth<T>; ++row) sums[r] += input.entries[row] * delta.entries[row];
    }
  }
}

// The sum of part(i) for i = first, first + stride, ... below `count`, in this order.
template <class T, class Part>
GDBENCH_HOST_DEVICE Pack<T> sum_of_packs(const Part& part, int first, int stride, int count) {
  Pack<T> sum{};
  in_batches<kPacksInFlight>(first, stride, count, [&](auto number, int at) {
    constexpr int n = decltype(number)::value;
    Pack<T> parts[n];
    for (int i = 0; i < n; ++i) parts[i] = part(at + i * stride);
    for (const Pack<T>& one : parts) add(one, T(1), sum);
  });
  return sum;
}

}  // namespace gdbench::backends::cuda
