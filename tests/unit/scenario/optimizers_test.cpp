// Optimizers, schedules, the task update and targets, as scenario files say them.
#include "harness/scenario/optimizers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/data/dataset.h"
#include "harness/data/initial_state.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::Files;
using tests::linear_scenario;

using nlohmann::json;

class OptimizerScenario : public Files {
 protected:
  Scenario read(const json& scenario) {
    const Result<Scenario> result = read_scenario(write_json(scenario), {});
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.value();
  }
};

json update_scenario() {
  return {{"name", "update"},
          {"task", "update"},
          {"model", {{"kind", "tensors"}, {"tensors", {{{"rows", 3}, {"columns", 4}, {"count", 5}}, {{"rows", 7}}}}}},
          {"data", {{"source", "synthetic"}, {"kind", "gradients"}}},
          {"optimizer", {{"kind", "adam"}, {"learning_rate", 0.1}}}};
}

TEST_F(OptimizerScenario, UpdateHasAGradientForEachParameter) {
  const Scenario scenario = read(update_scenario());
  const Result<data::Dataset> data = data::make_dataset(scenario);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->rows, 1);
  EXPECT_EQ(data->features, 67);
  EXPECT_EQ(data->outputs, 0);
  const Result<Problem> problem = data::make_problem(scenario, data.value());
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  EXPECT_EQ(parameter_shapes(problem.value()).size(), 6U);
  EXPECT_EQ(operations_per_step(problem.value()), 14 * 67);
  EXPECT_EQ(data::make_initial_state(problem.value(), {})->slots.size(), 12U);
}

TEST_F(OptimizerScenario, UpdateTakesNothingElse) {
  const std::vector<std::pair<Setting, std::string>> faults = {
      {{"task", "train"},
       "s.json: /model/kind: found tensors with the task \"train\", expected linear_regression or "
       "multilayer_perceptron, or the task update"},
      {{"batch", "1"},
       "s.json: --set batch: found batches for the task update, expected \"full\", for there are no rows"},
      {{"loss", "half_mse"}, "s.json: --set loss: found \"half_mse\", expected none for the task update"},
      {{"data", R"({"source": "synthetic", "kind": "linear", "rows": 3, "features": 2})"},
       "s.json: --set data (/data/kind): found other data with the task \"update\", expected synthetic data of the "
       "kind gradients"},
  };
  for (const auto& [setting, message] : faults) EXPECT_EQ(read_error(update_scenario(), {setting}), message);
}

TEST_F(OptimizerScenario, ScheduleIsATableOfRates) {
  const auto rates = [&](const char* schedule) {
    json scenario = linear_scenario();
    scenario["optimizer"] = {{"learning_rate", 1.0}, {"schedule", json::parse(schedule)}};
    return read(scenario).optimizer.learning_rates;
  };
  EXPECT_EQ(rates(R"({"kind": "constant"})"), std::vector<double>({1.0}));
  EXPECT_EQ(rates(R"({"kind": "constant", "warm_up": 4})"), std::vector<double>({0.25, 0.5, 0.75, 1, 1}));
  EXPECT_EQ(rates(R"({"kind": "step", "warm_up": 1, "steps": 6, "every": 2, "factor": 0.5})"),
            std::vector<double>({1, 1, 1, 0.5, 0.5, 0.25, 0.25}));
  const std::vector<double> cosine = rates(R"({"kind": "cosine", "steps": 4, "final_rate": 0.5})");
  const std::vector<double> expected = {1, 0.75 + 0.25 * std::sqrt(0.5), 0.75, 0.75 - 0.25 * std::sqrt(0.5), 0.5};
  ASSERT_EQ(cosine.size(), expected.size());
  for (std::size_t t = 0; t < expected.size(); ++t) EXPECT_NEAR(cosine[t], expected[t], 1e-15) << t;
}

TEST_F(OptimizerScenario, OptimizersAreReadBackAsWritten) {
  for (const OptimizerKind kind : catalogue::all_of<OptimizerKind>()) {
    json scenario = kind == OptimizerKind::muon ? tests::perceptron_scenario() : linear_scenario();
    scenario["optimizer"] = {{"kind", name_of(kind)}, {"learning_rate", 0.1}, {"weight_decay", 0.25}};
    scenario["optimizer"]["schedule"] = {{"kind", "cosine"}, {"steps", 30}, {"warm_up", 3}};
    const catalogue::EpsilonPlace place = catalogue::row_of(kind).other_place;
    if (place != catalogue::EpsilonPlace::outside) scenario["optimizer"]["epsilon_place"] = name_of(place);
    const Scenario first = read(scenario);
    const Scenario again = read(to_json(first));
    EXPECT_EQ(to_json(again), to_json(first)) << name_of(kind);
    EXPECT_EQ(again.optimizer.learning_rates, first.optimizer.learning_rates);
    EXPECT_EQ(first.optimizer.epsilon_place, place);
    EXPECT_EQ(first.optimizer.weight_decay, 0.25);
    EXPECT_EQ(first.optimizer.decoupled_weight_decay, catalogue::row_of(kind).always_decoupled);
  }
  // No decay at all must not be read back as adamw's usual one.
  json scenario = linear_scenario();
  scenario["optimizer"] = {{"kind", "adamw"}, {"learning_rate", 0.1}, {"weight_decay", 0}};
  EXPECT_EQ(read(to_json(read(scenario))).optimizer.weight_decay, 0);
}

using TargetKey = Files;

TEST_F(TargetKey, HasDefaultsThatFollowTheSteps) {
  const std::tuple<std::vector<Setting>, const char*> rows[] = {
      {{{"target.loss", "0.02"}}, R"({"loss": 0.02, "most_steps": 10000, "evaluate_every": 10})"},
      {{{"target", R"({"relative": 0.5, "most_steps": 3})"}},
       R"({"relative": 0.5, "most_steps": 3, "evaluate_every": 3})"},
      {{{"steps", "1"}, {"target.loss", "1"}}, R"({"loss": 1.0, "most_steps": 100, "evaluate_every": 1})"},
  };
  for (const auto& [settings, target] : rows) {
    const json first = resolved(linear_scenario(), settings);
    EXPECT_EQ(first["target"], json::parse(target));
    EXPECT_EQ(resolved(first), first);
  }
}

TEST_F(TargetKey, ScenariosWithoutOneKeepTheirIdentity) {
  const auto identity = [&](const std::vector<Setting>& settings) {
    return read_scenario(write_json(linear_scenario()), settings).value().identity();
  };
  // Computed before there were targets, conditions and densities.
  EXPECT_EQ(identity({}), "3b51725efb3f5c8f");
  EXPECT_EQ(identity({{"data.condition", "1"}, {"data.density", "1"}}), "3b51725efb3f5c8f");
  EXPECT_NE(identity({{"target.loss", "0.5"}}), identity({}));
  EXPECT_NE(identity({{"target.loss", "0.5"}}), identity({{"target.relative", "0.5"}}));
  EXPECT_NE(identity({{"data.condition", "10"}}), identity({}));
  EXPECT_NE(identity({{"data.density", "0.5"}}), identity({}));
}

TEST_F(TargetKey, SaysWhatIsWrongInOneLine) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"{}",
       "found neither loss nor relative, expected exactly one: \"loss\", or \"relative\", a part of the initial loss"},
      {R"({"loss": 1, "relative": 0.5})",
       "found both of loss and relative, expected exactly one: \"loss\", or \"relative\", a part of the initial loss"},
      {"3", "found 3, expected an object"},
      {R"({"relative": 1})", "(/target/relative): found 1, expected a number above 0 and below 1"},
      {R"({"loss": 1, "most_steps": 5, "evaluate_every": 6})",
       "(/target/evaluate_every): found 6, expected an integer from 1 to 5"},
      {R"({"loss": 1, "every": 6})",
       "(/target/every): found an unknown key, expected one of loss, relative, most_steps, evaluate_every"},
  };
  for (const auto& [value, message] : faults) {
    const std::string error = read_error(linear_scenario(), {{"target", value}});
    EXPECT_EQ(error, "s.json: --set target" + std::string(message[0] == '(' ? " " : ": ") + message);
  }
}

}  // namespace
}  // namespace gdbench::scenario
