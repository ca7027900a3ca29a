#include <gtest/gtest.h>

#include "reports/answers/words.h"

namespace gdbench::answers {
namespace {

using nlohmann::json;

report::ScenarioRecord record(const json& resolved) {
  report::ScenarioRecord scenario;
  scenario.resolved = report::resolved_scenario(resolved, "test").value();
  scenario.rows = 100;
  scenario.features = 3;
  scenario.outputs = 1;
  scenario.batch_rows = 100;
  scenario.parameters = 12;
  scenario.operations_per_step = 1500;
  return scenario;
}

TEST(ScenarioWords, NameTheOptimizerWithWhatChangesIt) {
  json resolved = {{"model", {{"kind", "linear_regression"}}}, {"dtype", "f32"}, {"loss", "mse"}};
  resolved["optimizer"] = {{"kind", "adamw"}, {"weight_decay", 0.01}, {"decoupled_weight_decay", true}};
  resolved["optimizer"]["schedule"] = {{"kind", "cosine"}, {"steps", 1000}, {"warm_up", 50}};
  EXPECT_EQ(scenario_words(record(resolved)),
            "linear regression, 100 rows x 3 features, full batch, f32, mse, adamw, weight decay 0.01 decoupled, "
            "cosine schedule over 1000 steps, warm-up 50, 12 parameters, 1.5 kflop per step");
}

TEST(ScenarioWords, CountPartsAndSteps) {
  report::ScenarioRecord scenario = record({{"model", {{"kind", "linear_regression"}}},
                                            {"dtype", "f64"},
                                            {"loss", "mse"},
                                            {"batch", {{"rows", 32}, {"micro_batches", 4}}},
                                            {"optimizer", {{"kind", "sgd"}}}});
  scenario.batch_rows = 32;
  EXPECT_EQ(scenario_words(scenario),
            "linear regression, 100 rows x 3 features, batch of 32 in 4 parts, 4 steps per epoch, f64, mse, sgd, 12 "
            "parameters, 1.5 kflop per step");
}

TEST(ScenarioWords, OfAnUpdateHaveNoRows) {
  json tensors = {{{"rows", 512}, {"columns", 1}, {"count", 500}}, {{"rows", 7}, {"columns", 2}, {"count", 1}}};
  const json resolved = {{"task", "update"},
                         {"model", {{"kind", "tensors"}, {"tensors", tensors}}},
                         {"dtype", "f32"},
                         {"loss", "mse"},
                         {"optimizer", {{"kind", "adam"}}}};
  EXPECT_EQ(scenario_words(record(resolved)),
            "tensors 500 of 512x1, 7x2, update by given gradients, f32, adam, 12 parameters, 1.5 kflop per step");
}

}  // namespace
}  // namespace gdbench::answers
