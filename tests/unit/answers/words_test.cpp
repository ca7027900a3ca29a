#include "reports/answers/words.h"

#include <gtest/gtest.h>

#include "tests/unit/answers/made_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

// Of what a report says of a scenario, a part of that.
std::string words_of_scenario(nlohmann::json resolved, std::int64_t batch_rows = 100) {
  resolved["loss"] = "mse";
  report::ScenarioRecord scenario;
  scenario.resolved = report::resolved_scenario(resolved, "test").value();
  scenario.rows = 100;
  scenario.features = 3;
  scenario.outputs = 1;
  scenario.batch_rows = batch_rows;
  scenario.parameters = 12;
  scenario.operations_per_step = 1500;
  return scenario_words(scenario);
}

TEST(ScenarioWords, NameTheOptimizerWithWhatChangesIt) {
  nlohmann::json resolved = {{"model", {{"kind", "linear_regression"}}}, {"dtype", "f32"}};
  resolved["optimizer"] = {{"kind", "adamw"}, {"weight_decay", 0.01}, {"decoupled_weight_decay", true}};
  resolved["optimizer"]["schedule"] = {{"kind", "cosine"}, {"steps", 1000}, {"warm_up", 50}};
  EXPECT_EQ(words_of_scenario(resolved),
            "linear regression, 100 rows x 3 features, full batch, f32, mse, adamw, weight decay 0.01 decoupled, "
            "cosine schedule over 1000 steps, warm-up 50, 12 parameters, 1.5 kflop per step");
}

TEST(ScenarioWords, CountPartsAndSteps) {
  const nlohmann::json resolved = {{"model", {{"kind", "linear_regression"}}},
                                   {"dtype", "f64"},
                                   {"batch", {{"rows", 32}, {"micro_batches", 4}}},
                                   {"optimizer", {{"kind", "sgd"}}}};
  EXPECT_NE(words_of_scenario(resolved, 32).find(", batch of 32 in 4 parts, 4 steps per epoch, f64, mse, sgd, "),
            std::string::npos);
}

TEST(ScenarioWords, OfAnUpdateHaveNoRows) {
  nlohmann::json resolved = {{"task", "update"}, {"dtype", "f32"}, {"optimizer", {{"kind", "adam"}}}};
  resolved["model"]["kind"] = "tensors";
  resolved["model"]["tensors"] = {{{"rows", 512}, {"columns", 1}, {"count", 500}},
                                  {{"rows", 7}, {"columns", 2}, {"count", 1}}};
  EXPECT_EQ(words_of_scenario(resolved),
            "tensors 500 of 512x1, 7x2, update by given gradients, f32, adam, 12 parameters, 1.5 kflop per step");
}

std::string words_of_device(const std::vector<report::DeviceStates>& launches) {
  tests::MadeReport made("a/one", 3);
  made.scenario("first");
  report::Cell& cell = made.timed("a/one", 100);
  for (std::size_t i = 0; i < launches.size(); ++i) cell.launches[i].device = launches[i];
  const report::Report report = made.summarised();
  EXPECT_NE(tests::details_of(report).find(device_words(report)), std::string::npos);
  return device_words(report);
}

TEST(DeviceWords, AreOneLineOverAllLaunches) {
  const report::DeviceState cool{"Example", 1980, 2619, 300, 50, {}};
  const report::DeviceState hot{"Example", 1755, 2619, 640, 71, {"power cap"}};
  EXPECT_EQ(words_of_device({}), "");
  EXPECT_EQ(words_of_device({{cool, cool}}),
            "device Example: clock 1980 MHz, clock of the memory 2619 MHz, up to 50 degrees Celsius, 300 W");
  EXPECT_EQ(words_of_device({{cool, cool}, {cool, hot}}),
            "device Example: clock 1755 to 1980 MHz, clock of the memory 2619 MHz, up to 71 degrees Celsius, 640 W; "
            "throttled: power cap");
}

TEST(DeviceWords, DoWithWhatTheDeviceTells) {
  const report::DeviceState silent{.name = ""};
  EXPECT_EQ(words_of_device({{silent, silent}}), "device: it says nothing of its clocks");
  const report::DeviceState warm{.name = "Example", .temperature_celsius = 60};
  EXPECT_EQ(words_of_device({{warm, warm}}), "device Example: up to 60 degrees Celsius");
}

}  // namespace
}  // namespace gdbench::answers
