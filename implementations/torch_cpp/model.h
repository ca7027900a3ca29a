// Models and losses of nn, for the problems that the plugin offers.
#pragma once

#include <torch/nn.h>

#include <functional>

#include "gdbench/plugin.h"

namespace gdbench::torch_cpp {

using LossFunction = std::function<torch::Tensor(const torch::Tensor& outputs, const torch::Tensor& targets)>;

torch::nn::Sequential make_model(const gdbench_problem& problem);

LossFunction make_loss(const gdbench_problem& problem);

}  // namespace gdbench::torch_cpp
