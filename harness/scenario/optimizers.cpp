#include "harness/scenario/optimizers.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "harness/base/json.h"

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

namespace {

using catalogue::EpsilonPlace;

constexpr NumberRange kShare = {0, false, 1};  // the weight of the past in a running mean
constexpr NumberRange kPositive = {0, true};
constexpr NumberRange kNotNegative = {0, false};

Schedule read_schedule(JsonReader reader, double rate, std::int64_t fallback_steps) {
  using enum ScheduleKind;
  Schedule schedule;
  schedule.rate = rate;
  schedule.kind = reader.choice<ScheduleKind>("kind", {constant, step, cosine});
  schedule.warm_up = reader.integer("warm_up", {0, kMaxScheduleSteps}, 0);
  if (schedule.kind != constant) {
    const IntegerRange range = {schedule.warm_up + 1, kMaxScheduleSteps};
    // A fallback that does not fit is as good as none: the key is asked for.
    const bool fits = fallback_steps >= range.least && fallback_steps <= range.most;
    schedule.steps = reader.integer("steps", range, fits ? std::optional(fallback_steps) : std::nullopt);
  }
  if (schedule.kind == step) {
    schedule.every = reader.integer("every", {1, kMaxScheduleSteps}, std::nullopt);
    schedule.factor = reader.number("factor", kPositive, 0.1);
  }
  if (schedule.kind == cosine) schedule.final_rate = reader.number("final_rate", kNotNegative, 0.0);
  reader.finish();
  return schedule;
}

Json to_json(const Schedule& schedule) {
  Json result = {{"kind", name_of(schedule.kind)}, {"warm_up", schedule.warm_up}};
  if (schedule.kind != ScheduleKind::constant) result["steps"] = schedule.steps;
  if (schedule.kind == ScheduleKind::step) {
    result["every"] = schedule.every;
    result["factor"] = schedule.factor;
  }
  if (schedule.kind == ScheduleKind::cosine) result["final_rate"] = schedule.final_rate;
  return result;
}

}  // namespace

OptimizerAndSchedule read_optimizer(JsonReader reader, std::int64_t steps) {
  OptimizerAndSchedule result;
  Optimizer& optimizer = result.optimizer;
  optimizer.kind = reader.choice("kind", catalogue::all_of<OptimizerKind>(), OptimizerKind::sgd);
  result.schedule.rate = reader.number("learning_rate", kPositive, std::nullopt);
  const catalogue::OptimizerRow& row = catalogue::row_of(optimizer.kind);
  for (const auto& [constant, fallback] : row.keys) {
    optimizer.*constant.member = reader.number(constant.name, constant.is_share ? kShare : kPositive, fallback);
  }
  if (row.other_place != EpsilonPlace::outside) {
    using enum EpsilonPlace;
    optimizer.epsilon_place = reader.choice<EpsilonPlace>("epsilon_place", {outside, row.other_place, own}, outside);
  }
  optimizer.weight_decay = reader.number("weight_decay", kNotNegative, row.weight_decay);
  const bool always_decoupled = row.always_decoupled;
  optimizer.decoupled_weight_decay = reader.boolean("decoupled_weight_decay", always_decoupled);
  if (always_decoupled && !optimizer.decoupled_weight_decay) {
    reader.fail("decoupled_weight_decay", "false with " + std::string(row.name),
                "true, or an optimizer whose decay may be coupled");
  }
  if (reader.has("schedule")) {
    result.schedule = read_schedule(reader.object("schedule"), result.schedule.rate, steps);
  }
  reader.finish();
  optimizer.learning_rates = learning_rates(result.schedule);
  return result;
}

Json to_json(const Optimizer& optimizer, const Schedule& schedule) {
  const catalogue::OptimizerRow& row = catalogue::row_of(optimizer.kind);
  Json result = {{"kind", row.name}, {"learning_rate", schedule.rate}};
  for (const catalogue::OptimizerKey& key : row.keys) result[key.constant.name] = optimizer.*key.constant.member;
  if (optimizer.epsilon_place != EpsilonPlace::outside) result["epsilon_place"] = name_of(optimizer.epsilon_place);
  if (optimizer.weight_decay != 0 || row.weight_decay != 0) {
    result["weight_decay"] = optimizer.weight_decay;
    result["decoupled_weight_decay"] = optimizer.decoupled_weight_decay;
  }
  if (schedule.kind != ScheduleKind::constant || schedule.warm_up != 0) result["schedule"] = to_json(schedule);
  return result;
}

}  // namespace gdbench::scenario
