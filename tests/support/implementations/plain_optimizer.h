// The update rules that torch.optim documents, entry by entry in long double: what the tests compare with.
#pragma once

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"

namespace gdbench {

class PlainOptimizer {
 public:
  using Values = std::vector<long double>;

  // For `size` parameters.
  PlainOptimizer(const gdbench_optimizer& optimizer, std::size_t size);

  // Update number `step`, counted from 0, with the learning rate of that step.
  void update(Values& parameters, const Values& gradients, std::int64_t step);
  // [slots][size]
  const std::vector<Values>& slots() const { return slots_; }

 private:
  long double descent(std::size_t i, long double gradient, long double rate, std::int64_t step);
  long double divisor(long double squares, long double correction) const;

  const gdbench_optimizer& optimizer_;
  std::vector<Values> slots_;
};

// An optimizer with constants that tell one from another, and every kind of them with every kind of decay and of place
// for epsilon.
struct OptimizerCase {
  catalogue::OptimizerKind kind;
  double weight_decay;
  bool decoupled;
  catalogue::EpsilonPlace epsilon_place = catalogue::EpsilonPlace::outside;
};
// Of torch.optim.NAdam, at an update counted from 1: what its first moment and its gradient are multiplied by.
struct NadamFactors {
  long double of_moment = 0;
  long double of_gradient = 0;
};
NadamFactors nadam_factors(const gdbench_optimizer& optimizer, std::int64_t update);

std::vector<OptimizerCase> optimizer_cases();
gdbench_optimizer optimizer_of(const OptimizerCase& values, const std::vector<double>& learning_rates);

}  // namespace gdbench
