// The optimizers that a scenario may name: one row each.
#pragma once

#include <optional>
#include <vector>

#include "harness/base/json_reader.h"
#include "harness/scenario/problem.h"

namespace gdbench::scenario {

// A numeric key of /optimizer.
struct OptimizerKey {
  const char* name;
  NumberRange range;
  std::optional<double> fallback;  // none: required
  void (*store)(Optimizer& optimizer, double value);
  double (*load)(const Optimizer& optimizer);
};

struct OptimizerRow {
  OptimizerKind kind;
  std::vector<const OptimizerKey*> keys;  // besides "kind"
};

// The optimizers that exist; the other kinds are refused by name.
const std::vector<OptimizerRow>& optimizer_rows();
const OptimizerRow* find_optimizer(OptimizerKind kind);

}  // namespace gdbench::scenario
