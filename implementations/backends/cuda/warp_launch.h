// How the program of warp_region.h reaches the device, or the host that emulates it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "implementations/backends/cuda/grid_launch.h"
#include "implementations/backends/cuda/warp_region.h"

namespace gdbench::backends::cuda {

#ifdef __CUDACC__

// Of each row the sum over lanes, in the lane that judges it: a lane keeps half of the rows that it has and gives the
// others to its neighbour, until it has one.
template <class Program, class T>
__device__ T sum_of_judged_row(T (&parts)[Program::kRows], int lane) {
  constexpr unsigned kAll = 0xffffffffU;
  int distance = 1;
#pragma unroll
  for (int half = Program::kRows / 2; half > 0; half /= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int r = 0; r < half; ++r) {
      const T given = upper ? parts[r] : parts[r + half];
      parts[r] = (upper ? parts[r + half] : parts[r]) + __shfl_xor_sync(kAll, given, distance);
    }
    distance *= 2;
  }
#pragma unroll
  for (; distance < kLanes; distance *= 2) parts[0] += __shfl_xor_sync(kAll, parts[0], distance);
  return parts[0];
}

template <class T, class Program>
__global__ void __launch_bounds__(kWarpRegionThreads, 1) run_warps(const Program program) {
  constexpr unsigned kAll = 0xffffffffU;
  extern __shared__ double shared[];
  T* arena = reinterpret_cast<T*>(shared);
  const Place at{static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const int lane_number = at.thread % kLanes;
  const auto wait_for_all = [&] {
#if __CUDA_ARCH__ >= 900
    if (program.shape.cluster) return wait_for_cluster();
#endif
    __syncthreads();
  };
  clear_arena(program.shape.arena, at, arena);
  __syncthreads();
  program.load(at, arena);
  wait_for_all();
  typename Program::Lane lane;
  for (std::uint64_t step = 0; step < program.steps; ++step) {
    program.forward(step, at, lane, arena);
    const T delta = program.delta_of(lane, sum_of_judged_row<Program>(lane.outputs, lane_number), arena);
    T deltas[Program::kRows];
    for (int r = 0; r < Program::kRows; ++r) deltas[r] = __shfl_sync(kAll, delta, Program::lane_of_row(r));
    program.backward(step, deltas, at, lane, arena);
    __syncthreads();
    program.send_gradients(at, arena);
    wait_for_all();
    program.update(step, at, arena);
    __syncthreads();
    if (!program.shape.cluster) continue;
    program.send_parameters(at, arena);
    wait_for_all();
  }
  program.leave(at, arena);
}

template <class T>
std::int64_t prepare_warps() {
  return prepare_together(run_warps<T, WarpProgram<T>>, kWarpRegionThreads);
}
template <class T>
void launch_warps(cudaStream_t stream, const WarpProgram<T>& program) {
  launch_together<T>(stream, run_warps<T, WarpProgram<T>>, program.shape.warps * kLanes, program);
}

#else

template <class T>
std::int64_t prepare_warps() {
  return prepare_together(reinterpret_cast<const void*>(&prepare_warps<T>));
}

template <class T>
void launch_warps(cudaStream_t stream, const WarpProgram<T>& launched) {
  using Program = WarpProgram<T>;
  const auto* const kernel = reinterpret_cast<const void*>(&prepare_warps<T>);
  const auto run = [](const Program& program, EmulatedBlocks<T>& blocks) {
    const int threads = program.shape.warps * kLanes;
    std::vector<typename Program::Lane> lanes(static_cast<std::size_t>(program.shape.blocks * threads));
    std::vector<T> deltas(lanes.size());
    const auto number = [&](const Place& at) { return static_cast<std::size_t>(at.block * threads + at.thread); };
    const auto first_of_warp = [&](const Place& at) {
      return number(at) - static_cast<std::size_t>(at.thread % kLanes);
    };
    using Part = std::function<void(const Place&, T*)>;
    // What a block does from a meeting of all to the next one.
    const auto run_parts = [&](const std::vector<Part>& parts) {
      if (emulated_blocks_run_ahead()) {
        blocks.for_blocks([&](std::int64_t block) {
          for (const Part& part : parts) blocks.for_threads(block, part);
        });
      } else {
        for (const Part& part : parts) blocks.for_all(part);
      }
    };
    run_parts({[&](const Place& at, T* arena) { clear_arena(program.shape.arena, at, arena); },
               [&](const Place& at, T* arena) { program.load(at, arena); }});
    for (std::uint64_t step = 0; step < program.steps; ++step) {
      run_parts({[&](const Place& at, T* arena) { program.forward(step, at, lanes[number(at)], arena); },
                 [&](const Place& at, T* arena) {
                   T sum = 0;
                   for (std::size_t i = 0; i < kLanes; ++i) {
                     sum += lanes[first_of_warp(at) + i].outputs[Program::row_of_lane(at.thread % kLanes)];
                   }
                   deltas[number(at)] = program.delta_of(lanes[number(at)], sum, arena);
                 },
                 [&](const Place& at, T* arena) {
                   T of_rows[Program::kRows];
                   for (int r = 0; r < Program::kRows; ++r) {
                     of_rows[r] = deltas[first_of_warp(at) + static_cast<std::size_t>(Program::lane_of_row(r))];
                   }
                   program.backward(step, of_rows, at, lanes[number(at)], arena);
                 },
                 [&](const Place& at, T* arena) { program.send_gradients(at, arena); }});
      run_parts({[&](const Place& at, T* arena) { program.update(step, at, arena); },
                 [&](const Place& at, T* arena) {
                   if (program.shape.cluster) program.send_parameters(at, arena);
                 }});
    }
    blocks.for_all([&](const Place& at, T* arena) { program.leave(at, arena); });
  };
  launch_together<T>(stream, kernel, launched.shape.warps * kLanes, launched, run);
}

#endif

}  // namespace gdbench::backends::cuda
