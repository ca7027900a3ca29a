// Between the plugin torch_cpp, which every command opens, and its library, which links libtorch and is opened by the
// workers that train with it alone.
#pragma once

#include <cstdint>
#include <string>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench::torch_cpp {

enum class Mode { eager, fused };

// What torch::optim has in C++.
inline constexpr std::uint32_t kOptimizers =
    bit_of(catalogue::OptimizerKind::sgd) | bit_of(catalogue::OptimizerKind::momentum) |
    bit_of(catalogue::OptimizerKind::nesterov) | bit_of(catalogue::OptimizerKind::adagrad) |
    bit_of(catalogue::OptimizerKind::rmsprop) | bit_of(catalogue::OptimizerKind::adam) |
    bit_of(catalogue::OptimizerKind::adamw);

// The functions mirror gdbench_implementation's; they throw Failure, or what libtorch throws.
class Training {
 public:
  virtual ~Training() = default;
  virtual void set_state(const gdbench_state& state) = 0;
  virtual void get_state(gdbench_state& state) = 0;
  virtual void run(std::uint64_t steps) = 0;
  virtual double evaluate(std::int32_t split) = 0;
  virtual void profile(std::uint64_t steps, const gdbench_profile_sink& sink) = 0;
  virtual const char* runtime() const = 0;
};

// Of a problem that the masks of `mode` allow. All of it must outlive the training. Throws Failure
// (GDBENCH_UNSUPPORTED) for what torch::optim cannot do.
using MakeTraining = Training* (*)(Mode mode, const gdbench_data& data, const gdbench_problem& problem,
                                   int compute_threads);
#define GDBENCH_MAKE_TRAINING_NAME "gdbench_make_torch_training"

}  // namespace gdbench::torch_cpp
