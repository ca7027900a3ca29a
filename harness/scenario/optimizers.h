// How /optimizer is read and written.
#pragma once

#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/scenario/problem.h"
#include "harness/scenario/schedule.h"

namespace gdbench::scenario {

struct OptimizerAndSchedule {
  Optimizer optimizer;  // with the schedule's learning rates
  Schedule schedule;
};

// `steps` is what a schedule's length falls back to.
OptimizerAndSchedule read_optimizer(JsonReader reader, std::int64_t steps);

// Keys that are off (no weight decay, a constant rate) are left out.
Json to_json(const Optimizer& optimizer, const Schedule& schedule);

}  // namespace gdbench::scenario
