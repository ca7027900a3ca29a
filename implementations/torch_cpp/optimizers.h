// torch.optim in C++, and what it lacks: steps that hand all parameters to one kernel, as `fused` and `foreach` of
// torch.optim in Python do, whose calls these are.
#pragma once

#include <torch/optim.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/torch_cpp/training.h"

namespace gdbench::torch_cpp {

using torch::Tensor;

// An optimizer over parameters, and the slots of gdbench_state that it works on: tensors of the parameters' shapes.
struct Update {
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  std::vector<std::vector<Tensor>> slots;  // [slot][parameter]
  // So many updates have been made, with what is in the slots now.
  std::function<void(std::int64_t step)> start_at;

  void set_rate(double rate) {
    for (torch::optim::OptimizerParamGroup& group : optimizer->param_groups()) group.options().set_lr(rate);
  }
};

// Throws Failure (GDBENCH_UNSUPPORTED) for a decoupled weight decay that torch::optim does not have.
Update make_update(Mode mode, const gdbench_optimizer& settings, const std::vector<Tensor>& parameters);

}  // namespace gdbench::torch_cpp
