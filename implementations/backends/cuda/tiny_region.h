// The training of a linear regression on few rows as one kernel of one warp, which waits for no other: rows, parameters
// and slots lie in registers for all steps. A lane has every so many rows; every lane holds all parameters, adds up all
// lanes' gradients by the same additions, and updates its own copy.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "implementations/backends/cuda/launch.h"
#include "implementations/backends/cuda/run_time_rules.h"

namespace gdbench::backends::cuda {

// `kFeatures` and `kRows` of a lane are what fits into registers; what the data have less of is zero.
template <class T, int kFeatures, int kRows>
struct TinyProgram {
  static constexpr int kParameters = kFeatures + 1;  // weights, then the bias

  struct Lane {
    T x[kRows][kFeatures];
    T negative_target[kRows];
    T weight[kRows];  // the gradient's scale; 0 for a row that is not there
    T parameters[kParameters];
    T slots[2][kParameters];
    T gradients[kParameters];
  };

  int features = 0;
  int rows = 0;
  int lanes = 1;  // a power of two, those that have rows
  bool has_bias = false;
  int weights = 0;  // where they start in their block, in entries
  int bias = 0;
  int slot_count = 0;
  T scale = 0;  // of the gradient of a squared error
  UpdateConstants<T> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;
  bool scalars_vary = true;
  const T* x = nullptr;
  const T* targets = nullptr;
  const UpdateScalars* scalars = nullptr;  // [steps]
  T* parameters = nullptr;
  T* slots[2] = {nullptr, nullptr};
  std::uint64_t steps = 0;

  GDBENCH_HOST_DEVICE void enter(int at, Lane& lane) const {
    for (int r = 0; r < kRows; ++r) {
      const int row = at + r * lanes;
      const bool there = at < lanes && row < rows;
      for (int f = 0; f < kFeatures; ++f) lane.x[r][f] = there && f < features ? x[row * features + f] : T(0);
      lane.negative_target[r] = there ? -targets[row] : T(0);
      lane.weight[r] = there ? scale : T(0);
    }
    for (int i = 0; i < kParameters; ++i) {
      lane.parameters[i] = exists(i) ? parameters[place_of(i)] : T(0);
      for (int s = 0; s < 2; ++s) lane.slots[s][i] = s < slot_count && exists(i) ? slots[s][place_of(i)] : T(0);
    }
  }

  // Of the lane's own rows.
  GDBENCH_HOST_DEVICE void sum_gradients(Lane& lane) const {
    for (int i = 0; i < kParameters; ++i) lane.gradients[i] = 0;
    for (int r = 0; r < kRows; ++r) {
      T error = lane.negative_target[r] + lane.parameters[kFeatures];
      for (int f = 0; f < kFeatures; ++f) error += lane.x[r][f] * lane.parameters[f];
      const T delta = lane.weight[r] * error;
      for (int f = 0; f < kFeatures; ++f) lane.gradients[f] += lane.x[r][f] * delta;
      lane.gradients[kFeatures] += delta;
    }
  }

  // Whether an update is plain gradient descent by the rate of the first step.
  GDBENCH_HOST_DEVICE bool is_plain() const {
    return optimizer == OptimizerKind::sgd && decay == Decay::none && !scalars_vary;
  }

  // By the gradients of all lanes. `kPlain`: as is_plain says; then the loop over steps has nothing to ask.
  template <bool kPlain>
  GDBENCH_HOST_DEVICE void update(const UpdateStep<T>& step, Lane& lane) const {
    if (!has_bias) lane.gradients[kFeatures] = 0;
    for (int i = 0; i < kParameters; ++i) {
      if constexpr (kPlain) {
        lane.parameters[i] -= step.rate * lane.gradients[i];
      } else {
        const T updated = updated_by(optimizer, decay, step, lane.parameters[i], lane.gradients[i], &lane.slots[0][i],
                                     &lane.slots[1][i]);
        lane.parameters[i] = exists(i) ? updated : T(0);
      }
    }
  }

  GDBENCH_HOST_DEVICE void leave(const Lane& lane) const {
    for (int i = 0; i < kParameters; ++i) {
      if (!exists(i)) continue;
      parameters[place_of(i)] = lane.parameters[i];
      for (int s = 0; s < 2; ++s) {
        if (s < slot_count) slots[s][place_of(i)] = lane.slots[s][i];
      }
    }
  }

 private:
  GDBENCH_HOST_DEVICE bool exists(int i) const { return i < kFeatures ? i < features : has_bias; }
  GDBENCH_HOST_DEVICE int place_of(int i) const { return i < kFeatures ? weights + i : bias; }
};

#ifdef __CUDACC__

template <class T>
__device__ UpdateStep<T> step_of_lane(UpdateStep<T> step, int lane) {
  constexpr unsigned kAll = 0xffffffffU;
  for (T* value : {&step.rate, &step.shrinkage, &step.corrected_rate, &step.root_factor, &step.added_rate}) {
    *value = __shfl_sync(kAll, *value, lane);
  }
  return step;
}

// The scalars of kLanes steps are read at a time, one by each lane.
template <bool kPlain, class Program>
__device__ void run_steps(const Program& program, int at, typename Program::Lane& lane) {
  constexpr unsigned kAll = 0xffffffffU;
  UpdateStep own(program.constants, program.scalars[0]);
  for (std::uint64_t step = 0; step < program.steps; ++step) {
    const int turn = static_cast<int>(step % kLanes);
    if (!kPlain && program.scalars_vary && turn == 0) {
      const std::uint64_t last = program.steps - 1;
      own = UpdateStep(program.constants, program.scalars[step + at < last ? step + at : last]);
    }
    program.sum_gradients(lane);
    for (int distance = 1; distance < program.lanes; distance *= 2) {
      for (auto& gradient : lane.gradients) gradient += __shfl_xor_sync(kAll, gradient, distance);
    }
    program.template update<kPlain>(kPlain || !program.scalars_vary ? own : step_of_lane(own, turn), lane);
  }
}

template <class Program>
__global__ void __launch_bounds__(kLanes) run_tiny(const Program program) {
  const int at = static_cast<int>(threadIdx.x);
  typename Program::Lane lane;
  program.enter(at, lane);
  if (program.is_plain()) {
    run_steps<true>(program, at, lane);
  } else {
    run_steps<false>(program, at, lane);
  }
  if (at == 0) program.leave(lane);
}

template <class Program>
void launch_tiny(cudaStream_t stream, const Program& program) {
  run_tiny<<<1, kLanes, 0, stream>>>(program);
}

#else

template <class Program>
void launch_tiny(cudaStream_t stream, const Program& program) {
  emulated_launch(stream, {1, kLanes}, [program] {
    typename Program::Lane lanes[kLanes];
    for (int at = 0; at < kLanes; ++at) program.enter(at, lanes[at]);
    for (std::uint64_t step = 0; step < program.steps; ++step) {
      for (auto& lane : lanes) program.sum_gradients(lane);
      for (int distance = 1; distance < program.lanes; distance *= 2) {
        for (int at = 0; at < kLanes; ++at) {
          if ((at & distance) != 0) continue;
          for (int i = 0; i < Program::kParameters; ++i) {
            auto& one = lanes[at].gradients[i];
            auto& other = lanes[at ^ distance].gradients[i];
            one += other;
            other = one;
          }
        }
      }
      const UpdateStep scalars(program.constants, program.scalars[program.scalars_vary ? step : 0]);
      for (auto& lane : lanes) {
        program.is_plain() ? program.template update<true>(scalars, lane)
                           : program.template update<false>(scalars, lane);
      }
    }
    program.leave(lanes[0]);
  });
}

#endif

}  // namespace gdbench::backends::cuda
