#include "harness/scenario/optimizers.h"

#include <nlohmann/json.hpp>

namespace gdbench::scenario {

namespace {

using nlohmann::json;

constexpr NumberRange kShare = {0, false, 1};  // the weight of the past in a running mean
constexpr NumberRange kPositive = {0, true};
constexpr NumberRange kNotNegative = {0, false};

// Fallbacks are PyTorch's, but for the momentum, which is 0 there.
const std::vector<OptimizerRow>& optimizer_rows() {
  using enum OptimizerKind;
  static const OptimizerKey momentum_key = {"momentum", &Optimizer::momentum, kShare, 0.9};
  static const OptimizerKey beta1_key = {"beta1", &Optimizer::beta1, kShare, 0.9};
  static const OptimizerKey beta2_key = {"beta2", &Optimizer::beta2, kShare, 0.999};
  static const OptimizerKey epsilon_key = {"epsilon", &Optimizer::epsilon, kPositive, 1e-8};
  static const std::vector<OptimizerRow> rows = {
      {sgd, {}},
      {momentum, {momentum_key}},
      {nesterov, {momentum_key}},
      {adagrad, {{"epsilon", &Optimizer::epsilon, kPositive, 1e-10}}},
      {rmsprop, {{"rho", &Optimizer::rho, kShare, 0.99}, epsilon_key}},
      {adam, {beta1_key, beta2_key, epsilon_key}},
      {adamw, {beta1_key, beta2_key, epsilon_key}},
  };
  return rows;
}

double fallback_decay(OptimizerKind kind) { return kind == OptimizerKind::adamw ? 0.01 : 0; }

Schedule read_schedule(JsonReader reader, double rate, std::int64_t fallback_steps) {
  using enum ScheduleKind;
  Schedule schedule;
  schedule.rate = rate;
  schedule.kind = reader.choice<ScheduleKind>("kind", {constant, step, cosine});
  schedule.warm_up = reader.integer("warm_up", {0, kMostScheduleSteps}, 0);
  if (schedule.kind != constant) {
    const IntegerRange range = {schedule.warm_up + 1, kMostScheduleSteps};
    // A fallback that does not fit is as good as none: the key is asked for.
    const bool fits = fallback_steps >= range.least && fallback_steps <= range.most;
    schedule.steps = reader.integer("steps", range, fits ? std::optional(fallback_steps) : std::nullopt);
  }
  if (schedule.kind == step) {
    schedule.every = reader.integer("every", {1, kMostScheduleSteps}, std::nullopt);
    schedule.factor = reader.number("factor", kPositive, 0.1);
  }
  if (schedule.kind == cosine) schedule.final_rate = reader.number("final_rate", kNotNegative, 0.0);
  reader.finish();
  return schedule;
}

json to_json(const Schedule& schedule) {
  json result = {{"kind", name_of(schedule.kind)}, {"warm_up", schedule.warm_up}};
  if (schedule.kind != ScheduleKind::constant) result["steps"] = schedule.steps;
  if (schedule.kind == ScheduleKind::step) {
    result["every"] = schedule.every;
    result["factor"] = schedule.factor;
  }
  if (schedule.kind == ScheduleKind::cosine) result["final_rate"] = schedule.final_rate;
  return result;
}

}  // namespace

const OptimizerRow& row_of(OptimizerKind kind) {
  for (const OptimizerRow& row : optimizer_rows()) {
    if (row.kind == kind) return row;
  }
  return optimizer_rows().front();  // the table has all kinds: a test says so
}

OptimizerAndSchedule read_optimizer(JsonReader reader, std::int64_t steps) {
  using enum OptimizerKind;
  OptimizerAndSchedule result;
  Optimizer& optimizer = result.optimizer;
  optimizer.kind = reader.choice<OptimizerKind>("kind", {sgd, momentum, nesterov, adagrad, rmsprop, adam, adamw}, sgd);
  result.schedule.rate = reader.number("learning_rate", kPositive, std::nullopt);
  for (const OptimizerKey& key : row_of(optimizer.kind).keys) {
    optimizer.*key.value = reader.number(key.name, key.range, key.fallback);
  }
  optimizer.weight_decay = reader.number("weight_decay", kNotNegative, fallback_decay(optimizer.kind));
  const bool always_decoupled = optimizer.kind == adamw;
  optimizer.decoupled_weight_decay = reader.boolean("decoupled_weight_decay", always_decoupled);
  if (always_decoupled && !optimizer.decoupled_weight_decay) {
    reader.fail("decoupled_weight_decay", "false with adamw", "true, or adam, whose decay may be coupled");
  }
  if (reader.has("schedule")) {
    result.schedule = read_schedule(reader.object("schedule"), result.schedule.rate, steps);
  }
  reader.finish();
  optimizer.learning_rates = learning_rates(result.schedule);
  return result;
}

nlohmann::json to_json(const Optimizer& optimizer, const Schedule& schedule) {
  json result = {{"kind", name_of(optimizer.kind)}, {"learning_rate", schedule.rate}};
  for (const OptimizerKey& key : row_of(optimizer.kind).keys) result[key.name] = optimizer.*key.value;
  if (optimizer.weight_decay != 0 || fallback_decay(optimizer.kind) != 0) {
    result["weight_decay"] = optimizer.weight_decay;
    result["decoupled_weight_decay"] = optimizer.decoupled_weight_decay;
  }
  if (schedule.kind != ScheduleKind::constant || schedule.warm_up != 0) result["schedule"] = to_json(schedule);
  return result;
}

}  // namespace gdbench::scenario
