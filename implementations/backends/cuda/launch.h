// How work reaches the device. Kernels are written as plain functions of an index, in two shapes:
// - elements: body(i) for every i below a count, in any order, none waiting for another (a grid-stride loop);
// - blocks: a program of kBlockThreads threads that share memory and go through phases together; to the end, or until
//   its `ends_after`, where it has one, says of a phase that the block has no more to do.
// Compiled by nvcc they become kernels. Compiled by a host compiler (the tests' emulated device) the same functions are
// called in loops, so that what they compute and which entries they touch is tested where there is no device.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

#include "implementations/backends/common/rules/rule_of.h"

namespace gdbench::backends::cuda {

constexpr int kLanes = 32;  // threads of a warp
constexpr int kBlockThreads = 256;
// More blocks than these wait for multiprocessors anyway; elements beyond them are taken in strides.
constexpr std::int64_t kMaxBlocks = 4096;

inline unsigned blocks_for(std::int64_t threads) {
  const std::int64_t blocks = (threads + kBlockThreads - 1) / kBlockThreads;
  return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, kMaxBlocks));
}

// The elements of one thread of a grid. A body may have `prepare`: what it returns is made once by each thread, and
// given to body(prepared, i).
template <class Body>
GDBENCH_HOST_DEVICE void grid_stride_loop(unsigned block, unsigned blocks, unsigned thread, std::int64_t count,
                                          const Body& body) {
  const std::int64_t stride = static_cast<std::int64_t>(blocks) * kBlockThreads;
  const std::int64_t first = static_cast<std::int64_t>(block) * kBlockThreads + thread;
  if constexpr (requires { body.prepare(); }) {
    const auto prepared = body.prepare();
    for (std::int64_t i = first; i < count; i += stride) body(prepared, i);
  } else {
    for (std::int64_t i = first; i < count; i += stride) body(i);
  }
}

// body(n, i) for i = first, first + stride, ... below `count`, as long as there are n more of them: `most` at a time,
// and what is left in halves. n is a constant, so that a body can read all it needs before it uses any of it.
template <int most, class Index, class Body>
GDBENCH_HOST_DEVICE void in_batches(Index first, Index stride, Index count, const Body& body) {
  Index at = first;
  for (; at + (most - 1) * stride < count; at += most * stride) body(std::integral_constant<int, most>(), at);
  if constexpr (most > 1) in_batches<most / 2>(at, stride, count, body);
}

// Begins to bring a line of the device's memory to the first-level cache, where a load will find it. Waits for nothing.
GDBENCH_HOST_DEVICE inline void fetch_ahead(const void* address) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L1 [%0];" : : "l"(address));
#else
  (void)address;
#endif
}

// Begins to copy a record from the device's memory to that of the block; the thread that did so finds it there, and
// other threads after the next barrier, once it has awaited its copies.
template <class Record>
GDBENCH_HOST_DEVICE void copy_ahead(Record* to, const Record* from) {
#ifdef __CUDA_ARCH__
  constexpr std::size_t kBytes = 16;
  static_assert(sizeof(Record) % kBytes == 0);
  for (std::size_t at = 0; at < sizeof(Record); at += kBytes) {
    __pipeline_memcpy_async(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at, kBytes);
  }
  __pipeline_commit();
#else
  *to = *from;
#endif
}
// All but the last `later` copies that were begun.
GDBENCH_HOST_DEVICE inline void await_copies([[maybe_unused]] int later) {
#ifdef __CUDA_ARCH__
  if (later == 0) {
    __pipeline_wait_prior(0);
  } else {
    __pipeline_wait_prior(1);
  }
#endif
}

#ifdef __CUDACC__

// Blocks of a multiprocessor that registers must suffice for. Asked for none, the compiler saves registers by reading
// late, and loads wait for one another (seen in the machine code).
constexpr int kBlocksAtOnce = 2;

// Kernels of a stream follow each other without the gap of a launch (programmatic dependent launch, from compute
// capability 9.0 on): each begins by waiting for all that was launched before it, and then lets the next one be
// launched, which will wait in its turn. Nothing may be read before.
constexpr int kFollowingArchitecture = 90;
__device__ inline void follow_predecessors() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

// Larger grids are launched when those before them are done, as what waits takes room from what works. Measured by
// device graphs, on an H100: 3.17 to 2.65 us with two small kernels, but 24.2 to 29.4 us with two of 256 blocks; on an
// H200: 14.4 to 13.9 us with five, two of which have 196 blocks.
inline unsigned most_blocks_that_follow() {
  static const unsigned most = [] {
    int major = 0;
    int multiprocessors = 0;
    const bool known = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
                       cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess;
    return known && 10 * major >= kFollowingArchitecture ? static_cast<unsigned>(multiprocessors + multiprocessors / 2)
                                                         : 0U;
  }();
  return most;
}

// What fails shows in the check after the launch.
template <class... Parameters, class... Arguments>
void launch_kernel(cudaStream_t stream, unsigned blocks, void (*kernel)(Parameters...), const Arguments&... arguments) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(kBlockThreads);
  launch.stream = stream;
  cudaLaunchAttribute follows{};
  follows.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  follows.val.programmaticStreamSerializationAllowed = 1;
  launch.attrs = &follows;
  launch.numAttrs = blocks <= most_blocks_that_follow() ? 1 : 0;
  cudaLaunchKernelEx(&launch, kernel, arguments...);
}

template <class Body>
__global__ void __launch_bounds__(kBlockThreads, kBlocksAtOnce)
    run_elements(const Body body, const std::int64_t count) {
  follow_predecessors();
  grid_stride_loop(blockIdx.x, gridDim.x, threadIdx.x, count, body);
}

template <class Program>
__global__ void __launch_bounds__(kBlockThreads, kBlocksAtOnce) run_blocks(const Program program) {
  __shared__ typename Program::Shared shared;
  follow_predecessors();
  // Each phase by itself: a phase that is known when the kernel is compiled has no branches to the others.
#pragma unroll
  for (int phase = 0; phase < Program::kPhases; ++phase) {
    program.run(phase, static_cast<std::int64_t>(blockIdx.x), static_cast<int>(threadIdx.x), shared);
    __syncthreads();
    if constexpr (requires { program.ends_after(phase, shared); }) {
      if (program.ends_after(phase, shared)) return;
    }
  }
}

template <class Body>
void launch_elements(cudaStream_t stream, std::int64_t count, const Body& body) {
  launch_kernel(stream, blocks_for(count), run_elements<Body>, body, count);
}

template <class Program>
void launch_blocks(cudaStream_t stream, std::int64_t blocks, const Program& program) {
  launch_kernel(stream, static_cast<unsigned>(blocks), run_blocks<Program>, program);
}

#else

template <class Body>
void launch_elements(cudaStream_t stream, std::int64_t count, const Body& body) {
  emulated_launch(stream, {blocks_for(count), kBlockThreads}, [body, count] {
    const unsigned blocks = blocks_for(count);
    const EmulatedOrder block_order(blocks);
    for (unsigned i = 0; i < blocks; ++i) {
      const auto block = static_cast<unsigned>(block_order.at(i));
      const EmulatedOrder thread_order(kBlockThreads);
      for (unsigned j = 0; j < kBlockThreads; ++j) {
        grid_stride_loop(block, blocks, static_cast<unsigned>(thread_order.at(j)), count, body);
      }
    }
  });
}

template <class Program>
void launch_blocks(cudaStream_t stream, std::int64_t blocks, const Program& program) {
  const EmulatedLaunch launch{blocks, kBlockThreads, sizeof(typename Program::Shared)};
  emulated_launch(stream, launch, [program, blocks] {
    const EmulatedOrder block_order(blocks);
    for (std::int64_t i = 0; i < blocks; ++i) {
      typename Program::Shared shared;
      std::memset(&shared, 0xff, sizeof(shared));  // not a number, where a block reads what it did not write
      for (int phase = 0; phase < Program::kPhases; ++phase) {
        const EmulatedOrder thread_order(kBlockThreads);
        for (int j = 0; j < kBlockThreads; ++j) {
          program.run(phase, block_order.at(i), static_cast<int>(thread_order.at(j)), shared);
        }
        if constexpr (requires { program.ends_after(phase, shared); }) {
          if (program.ends_after(phase, shared)) break;
        }
      }
    }
  });
}

#endif

}  // namespace gdbench::backends::cuda
