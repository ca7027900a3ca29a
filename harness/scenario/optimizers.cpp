#include "harness/scenario/optimizers.h"

#include <cmath>
#include <numbers>

namespace gdbench::scenario {

namespace {

double rate_of(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.warm_up) {
    return schedule.rate * static_cast<double>(step + 1) / static_cast<double>(schedule.warm_up);
  }
  const auto since = static_cast<double>(step - schedule.warm_up);
  switch (schedule.kind) {
    case ScheduleKind::constant:
      return schedule.rate;
    case ScheduleKind::step:
      return schedule.rate * std::pow(schedule.factor, std::floor(since / static_cast<double>(schedule.every)));
    case ScheduleKind::cosine: {
      if (step >= schedule.steps) return schedule.final_rate;
      const double part = since / static_cast<double>(schedule.steps - schedule.warm_up);
      return schedule.final_rate + (schedule.rate - schedule.final_rate) * (1 + std::cos(std::numbers::pi * part)) / 2;
    }
  }
  return schedule.rate;
}

}  // namespace

std::vector<double> learning_rates(const Schedule& schedule) {
  const std::int64_t last = schedule.kind == ScheduleKind::constant ? schedule.warm_up : schedule.steps;
  std::vector<double> rates;
  for (std::int64_t step = 0; step <= last; ++step) rates.push_back(rate_of(schedule, step));
  return rates;
}

}  // namespace gdbench::scenario
