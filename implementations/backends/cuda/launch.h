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
GDBENCH_HOST_DEVICE inline void await_copies() {
#ifdef __CUDA_ARCH__
  __pipeline_wait_prior(0);
#endif
}

#ifdef __CUDACC__

template <class Body>
__global__ void __launch_bounds__(kBlockThreads) run_elements(const Body body, const std::int64_t count) {
  grid_stride_loop(blockIdx.x, gridDim.x, threadIdx.x, count, body);
}

template <class Program>
__global__ void __launch_bounds__(kBlockThreads) run_blocks(const Program program) {
  __shared__ typename Program::Shared shared;
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
  run_elements<<<blocks_for(count), kBlockThreads, 0, stream>>>(body, count);
}

template <class Program>
void launch_blocks(cudaStream_t stream, std::int64_t blocks, const Program& program) {
  run_blocks<<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(program);
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
