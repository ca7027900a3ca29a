// Programs in phases, over blocks that can wait for each other, with a memory of its own for each block: one block, a
// cluster of blocks that read each other's memories, or a grid. The program has load, phases, run, waits_for_all and
// leave (see region.h).
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#include "implementations/backends/cuda/errors.h"
#include "implementations/backends/cuda/region_parts.h"

namespace gdbench::backends::cuda {

constexpr int kGridThreads = 512;

inline int attribute_of_device(cudaDeviceAttr attribute) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, 0), "cudaDeviceGetAttribute");
  return value;
}

// All blocks of a grid must be there at once: one to a multiprocessor.
inline std::int64_t max_blocks_of_a_grid() { return attribute_of_device(cudaDevAttrMultiProcessorCount); }
inline bool launches_grids() { return attribute_of_device(cudaDevAttrCooperativeLaunch) != 0; }
inline std::int64_t shared_memory_of_a_block() { return attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

#ifdef __CUDACC__

// Clusters came with compute capability 9.0; the kernel is there for them where it was compiled for that.
constexpr int kClusterArchitecture = 90;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// As cooperative_groups::this_cluster().sync(), but that one warp publishes what all of the block have written: every
// warp would wait for the memory by itself.
__device__ inline void wait_for_cluster() {
  __syncthreads();
  if (threadIdx.x < kLanes) {
    asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
  } else {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
  }
  asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory");
}
#endif

template <class T, class Program>
__global__ void __launch_bounds__(kGridThreads, 1) run_grid(const Program program) {
  extern __shared__ double shared[];
  T* arena = reinterpret_cast<T*>(shared);
  const Place at{static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const auto wait_for_all = [&] {
#if __CUDA_ARCH__ >= 900
    if (program.shape.cluster) return wait_for_cluster();
#endif
    cooperative_groups::this_grid().sync();
  };
  clear_arena(program.shape.arena, at, arena);
  __syncthreads();
  program.load(at, arena);
  // Nor does any write to a memory that has not been cleared.
  if (program.shape.cluster) {
    wait_for_all();
  } else {
    __syncthreads();
  }
  for (std::uint64_t step = 0; step < program.steps; ++step) {
    for (int phase = 0; phase < program.phases(); ++phase) {
      program.run(phase, step, at, arena);
      if (program.waits_for_all(phase)) {
        wait_for_all();
      } else {
        __syncthreads();
      }
    }
  }
  // No block of a cluster goes while others read its memory.
  if (program.shape.cluster) wait_for_all();
  program.leave(at, arena);
}

// Once, before any launch of a kernel by launch_together: allows a block all the shared memory that there is, however
// much a launch takes of it. Returns how many such blocks may be a cluster; 1 where there are no clusters.
template <class Program>
std::int64_t prepare_together(void (*kernel)(Program), int threads) {
  const std::int64_t shared_bytes = shared_memory_of_a_block();
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  cudaFuncAttributes attributes{};
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(1);
  launch.blockDim = dim3(static_cast<unsigned>(threads));
  launch.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  int blocks = 1;
  const bool known = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess &&
                     attributes.ptxVersion >= kClusterArchitecture &&
                     cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
                     cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &launch) == cudaSuccess;
  if (!known) cudaGetLastError();
  return known ? std::max(blocks, 1) : 1;
}

// Launches blocks that are there at once, with an arena each, as a cluster or as a grid. What fails shows in the check
// after the launch.
template <class T, class Program>
void launch_together(cudaStream_t stream, void (*kernel)(Program), int threads, const Program& program) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(program.shape.blocks));
  launch.blockDim = dim3(static_cast<unsigned>(threads));
  launch.dynamicSmemBytes = static_cast<std::size_t>(program.shape.arena) * sizeof(T);
  launch.stream = stream;
  cudaLaunchAttribute attribute{};
  if (program.shape.cluster) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = launch.gridDim.x;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  cudaLaunchKernelEx(&launch, kernel, program);
}

template <class T, class Program>
std::int64_t prepare_grid() {
  return prepare_together(run_grid<T, Program>, kGridThreads);
}
template <class T, class Program>
void launch_grid(cudaStream_t stream, int threads, const Program& program) {
  launch_together<T>(stream, run_grid<T, Program>, threads, program);
}

#else

// `kernel`: an address of its own for each.
inline std::int64_t prepare_together(const void* kernel) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_memory_of_a_block())),
        "cudaFuncSetAttribute");
  return 8;
}

// The blocks of a launch on the host, and what their memories hold.
template <class T>
class EmulatedBlocks {
 public:
  EmulatedBlocks(int blocks, int threads, int arena)
      : blocks_(blocks),
        threads_(threads),
        arena_(static_cast<std::size_t>(arena)),
        arenas_(static_cast<std::size_t>(blocks) * arena_ / static_cast<std::size_t>(kPackWidth<T>)) {}

  // body(place, arena) by the threads of a block.
  template <class Body>
  void for_threads(std::int64_t block, const Body& body) {
    const EmulatedOrder order(threads_);
    T* arena = arenas_.data()->entries + static_cast<std::size_t>(block) * arena_;
    for (int j = 0; j < threads_; ++j) {
      body(Place{static_cast<int>(block), static_cast<int>(order.at(j)), threads_}, arena);
    }
  }
  template <class Body>
  void for_blocks(const Body& body) const {
    const EmulatedOrder order(blocks_);
    for (int i = 0; i < blocks_; ++i) body(order.at(i));
  }
  // By all threads of all blocks.
  template <class Body>
  void for_all(const Body& body) {
    for_blocks([&](std::int64_t block) { for_threads(block, body); });
  }

 private:
  int blocks_;
  int threads_;
  std::size_t arena_;
  std::vector<Pack<T> > arenas_;
};

template <class T, class Program, class Run>
void launch_together(cudaStream_t stream, const void* kernel, int threads, const Program& program, const Run& run) {
  const EmulatedLaunch launch{
      program.shape.blocks, threads, static_cast<std::size_t>(program.shape.arena) * sizeof(T), kernel, true,
      "cudaLaunchKernelEx"};
  emulated_launch(stream, launch, [program, threads, run] {
    EmulatedBlocks<T> blocks(program.shape.blocks, threads, program.shape.arena);
    run(program, blocks);
  });
}

template <class T, class Program>
std::int64_t prepare_grid() {
  return prepare_together(reinterpret_cast<const void*>(&prepare_grid<T, Program>));
}

template <class T, class Program>
void launch_grid(cudaStream_t stream, int threads, const Program& launched) {
  const auto* const kernel = reinterpret_cast<const void*>(&prepare_grid<T, Program>);
  launch_together<T>(stream, kernel, threads, launched, [](const Program& program, EmulatedBlocks<T>& blocks) {
    blocks.for_all([&](const Place& at, T* arena) { clear_arena(program.shape.arena, at, arena); });
    blocks.for_all([&](const Place& at, T* arena) { program.load(at, arena); });
    // What a block does from a meeting of all to the next one: a phase of all blocks by all blocks, or all of its
    // phases by one block after the other.
    const std::uint64_t phases = static_cast<std::uint64_t>(program.phases());
    const auto waits = [&](std::uint64_t at) {
      return !emulated_blocks_run_ahead() || program.waits_for_all(static_cast<int>(at % phases));
    };
    for (std::uint64_t begin = 0; begin < program.steps * phases;) {
      std::uint64_t end = begin + 1;
      while (end < program.steps * phases && !waits(end - 1)) ++end;
      blocks.for_blocks([&](std::int64_t block) {
        for (std::uint64_t now = begin; now < end; ++now) {
          blocks.for_threads(block, [&](const Place& at, T* arena) {
            program.run(static_cast<int>(now % phases), now / phases, at, arena);
          });
        }
      });
      begin = end;
    }
    blocks.for_all([&](const Place& at, T* arena) { program.leave(at, arena); });
  });
}

#endif

}  // namespace gdbench::backends::cuda
