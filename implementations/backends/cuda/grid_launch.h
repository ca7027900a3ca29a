// Programs in phases, over a grid whose blocks can wait for each other, with a memory of its own for each block. The
// program has enter, phases, run, waits_for_all and leave (see region.h); run as host code, all blocks do a phase
// before any does the next one.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#include "implementations/backends/cuda/region.h"

namespace gdbench::backends::cuda {

constexpr int kGridThreads = 256;
// Blocks whose phases have no more to do than this make do with a warp, which waits for nobody.
constexpr int kLittleWork = 64;

inline int attribute_of_device(cudaDeviceAttr attribute) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess ? value : 0;
}

// All blocks of a grid must be there at once: one to a multiprocessor.
inline std::int64_t max_blocks_of_a_grid() { return attribute_of_device(cudaDevAttrMultiProcessorCount); }
inline std::int64_t shared_memory_of_a_block() { return attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

template <class Shape>
int threads_for(const Shape& shape) {
  int most = shape.parameters;
  for (int l = 0; l < shape.layer_count; ++l) most = std::max(most, shape.tile_rows * shape.layers[l].outputs);
  return most <= kLittleWork ? 32 : kGridThreads;
}

#ifdef __CUDACC__

template <class T, class Program>
__global__ void __launch_bounds__(kGridThreads) run_grid(const Program program) {
  extern __shared__ double shared[];
  T* arena = reinterpret_cast<T*>(shared);
  const Place at{static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  program.enter(at, arena);
  __syncthreads();
  for (std::uint64_t step = 0; step < program.steps; ++step) {
    for (int phase = 0; phase < program.phases(); ++phase) {
      program.run(phase, step, at, arena);
      if (program.waits_for_all(phase)) {
        cooperative_groups::this_grid().sync();
      } else {
        __syncthreads();
      }
    }
  }
  program.leave(at, arena);
}

// Once, before any launch: allows a block all the shared memory that there is, however much a launch takes of it.
template <class T, class Program>
bool prepare_grid() {
  return cudaFuncSetAttribute(run_grid<T, Program>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(shared_memory_of_a_block())) == cudaSuccess;
}

// What fails shows in the check after the launch.
template <class T, class Program>
void launch_grid(cudaStream_t stream, int blocks, std::int64_t arena_bytes, Program program) {
  const auto kernel = run_grid<T, Program>;
  void* arguments[] = {&program};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                              dim3(static_cast<unsigned>(threads_for(program.shape))), arguments,
                              static_cast<std::size_t>(arena_bytes), stream);
}

#else

template <class T, class Program>
bool prepare_grid() {
  return true;
}

template <class T, class Program>
void launch_grid(cudaStream_t stream, int blocks, std::int64_t arena_bytes, const Program& program) {
  const std::size_t entries = static_cast<std::size_t>(arena_bytes) / sizeof(T);
  emulated_launch(stream, [program, blocks, entries] {
    const int threads = threads_for(program.shape);
    std::vector<std::vector<T> > arenas(static_cast<std::size_t>(blocks), std::vector<T>(entries, T(1e30)));
    const auto for_threads = [&](std::int64_t block, const auto& body) {
      const EmulatedOrder order(threads);
      for (int j = 0; j < threads; ++j) {
        body(Place{static_cast<int>(block), static_cast<int>(order.at(j)), threads},
             arenas[static_cast<std::size_t>(block)].data());
      }
    };
    const auto for_all = [&](const auto& body) {
      const EmulatedOrder order(blocks);
      for (int i = 0; i < blocks; ++i) for_threads(order.at(i), body);
    };
    const auto run = [&](std::int64_t block, int phase, std::uint64_t step) {
      for_threads(block, [&](const Place& at, T* arena) { program.run(phase, step, at, arena); });
    };
    for_all([&](const Place& at, T* arena) { program.enter(at, arena); });
    // What a block does from a barrier of the grid to the next one: a phase of all blocks by all blocks, or all of its
    // phases by one block after the other.
    const std::uint64_t phases = static_cast<std::uint64_t>(program.phases());
    const auto waits = [&](std::uint64_t at) {
      return !emulated_blocks_run_ahead() || program.waits_for_all(static_cast<int>(at % phases));
    };
    for (std::uint64_t begin = 0; begin < program.steps * phases;) {
      std::uint64_t end = begin + 1;
      while (end < program.steps * phases && !waits(end - 1)) ++end;
      const EmulatedOrder order(blocks);
      for (int i = 0; i < blocks; ++i) {
        for (std::uint64_t at = begin; at < end; ++at) run(order.at(i), static_cast<int>(at % phases), at / phases);
      }
      begin = end;
    }
    for_all([&](const Place& at, T* arena) { program.leave(at, arena); });
  });
}

#endif

}  // namespace gdbench::backends::cuda
