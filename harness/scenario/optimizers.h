// The optimizers that a scenario may name, one row each, and how /optimizer is read and written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "harness/base/json_reader.h"
#include "harness/scenario/problem.h"
#include "harness/scenario/schedule.h"

namespace gdbench::scenario {

// A numeric key of /optimizer besides learning_rate.
struct OptimizerKey {
  const char* name;
  double Optimizer::*value;
  NumberRange range;
  double fallback;
};

struct OptimizerRow {
  OptimizerKind kind;
  std::vector<OptimizerKey> keys;
};

const OptimizerRow& row_of(OptimizerKind kind);

struct OptimizerAndSchedule {
  Optimizer optimizer;  // with the schedule's learning rates
  Schedule schedule;
};

// `steps` is what a schedule's length falls back to.
OptimizerAndSchedule read_optimizer(JsonReader reader, std::int64_t steps);

// Keys that are off (no weight decay, a constant rate) are left out.
nlohmann::json to_json(const Optimizer& optimizer, const Schedule& schedule);

}  // namespace gdbench::scenario
