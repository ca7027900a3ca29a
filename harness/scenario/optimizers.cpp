#include "harness/scenario/optimizers.h"

namespace gdbench::scenario {

namespace {

const OptimizerKey kLearningRate = {
    "learning_rate",
    {0, true},
    std::nullopt,
    [](Optimizer& optimizer, double value) { optimizer.learning_rates = {value}; },
    [](const Optimizer& optimizer) { return optimizer.learning_rates.front(); },
};

}  // namespace

const std::vector<OptimizerRow>& optimizer_rows() {
  static const std::vector<OptimizerRow> rows = {
      {OptimizerKind::sgd, {&kLearningRate}},
  };
  return rows;
}

const OptimizerRow* find_optimizer(OptimizerKind kind) {
  for (const OptimizerRow& row : optimizer_rows()) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

}  // namespace gdbench::scenario
