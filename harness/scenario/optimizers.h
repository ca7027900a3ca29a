// Learning-rate schedules: what a scenario says, and the rate of each step.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/abi/catalogue.h"

namespace gdbench::scenario {

enum class ScheduleKind { constant, step, cosine };

inline constexpr catalogue::Named<ScheduleKind> kScheduleKinds[] = {
    {ScheduleKind::constant, "constant"}, {ScheduleKind::step, "step"}, {ScheduleKind::cosine, "cosine"}};
constexpr const auto& rows_of(ScheduleKind /*any*/) { return kScheduleKinds; }

// The rate of step t, counted from 0, with W warm-up steps:
//   t < W:     rate (t + 1) / W
//   constant:  rate
//   step:      rate factor^floor((t - W) / every)
//   cosine:    final + (rate - final) (1 + cos(pi (t - W) / (steps - W))) / 2, Loshchilov and Hutter, SGDR, 2017, eq. 5
// `steps` is where the last two end: later steps have the rate of step `steps`.
struct Schedule {
  ScheduleKind kind = ScheduleKind::constant;
  double rate = 0.01;
  std::int64_t warm_up = 0;
  std::int64_t steps = 0;
  std::int64_t every = 1;
  double factor = 0.1;
  double final_rate = 0;
};

// Steps that a schedule may have: its rates are a table.
constexpr std::int64_t kMaxScheduleSteps = 1'000'000;

// The rate of step t is entry t, later the last one.
std::vector<double> learning_rates(const Schedule& schedule);

}  // namespace gdbench::scenario
