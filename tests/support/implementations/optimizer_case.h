// Optimizers with constants that tell one from another.
#pragma once

#include <vector>

#include "gdbench/plugin.h"
#include "harness/scenario/problem.h"

namespace gdbench {

struct OptimizerCase {
  catalogue::OptimizerKind kind;
  double weight_decay;
  bool decoupled;
  catalogue::EpsilonPlace epsilon_place = catalogue::EpsilonPlace::outside;
};

// Every kind with every kind of decay and of place for epsilon.
std::vector<OptimizerCase> optimizer_cases();

// Those of rules that move every entry by itself, which devices and compilers of whole steps have.
std::vector<OptimizerCase> entrywise_cases();

scenario::Optimizer optimizer_of(const OptimizerCase& values, const std::vector<double>& learning_rates);
// The same, which reads the learning rates of the other one.
gdbench_optimizer abi_of(const scenario::Optimizer& optimizer);

}  // namespace gdbench
