#include "harness/scenario/constraints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/scenario/problem.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::csv_scenario, tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;
using Posing = Files;

TEST_F(Posing, MakesTheLayersOfTheModel) {
  const Result<Scenario> scenario = read_scenario(write_json(perceptron_scenario()), {});
  const Result<data::Dataset> data = data::make_dataset(scenario.value());
  const Result<Problem> problem = data::make_problem(scenario.value(), data.value());
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  const std::vector<Layer>& layers = problem->layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].inputs, 2);
  EXPECT_EQ(layers[0].outputs, 5);
  EXPECT_EQ(layers[1].inputs, 5);
  EXPECT_EQ(layers[1].activation, Activation::tanh);
  EXPECT_FALSE(layers[1].bias);
  EXPECT_EQ(layers[2].outputs, 3);
  EXPECT_EQ(problem->batch_rows, 8);
  EXPECT_EQ(problem->rows, 30);
  EXPECT_EQ(problem->steps_per_epoch(), 4);
  EXPECT_EQ(problem->dtype, Dtype::f64);
}

TEST_F(Posing, LinearRegressionHasOneLayer) {
  const Result<Scenario> scenario =
      read_scenario(write_json(linear_scenario()), {{"data.outputs", "2"}, {"model.bias", "true"}});
  const Problem problem = data::make_problem(scenario.value(), data::make_dataset(scenario.value()).value()).value();
  ASSERT_EQ(problem.layers.size(), 1U);
  EXPECT_EQ(problem.layers[0].inputs, 3);
  EXPECT_EQ(problem.layers[0].outputs, 2);
  EXPECT_TRUE(problem.layers[0].bias);
  EXPECT_EQ(problem.batch_rows, 20);
}

TEST_F(Posing, ChecksFilesAgainstTheModel) {
  write("table.csv", "x,y\n1,a\n2,b\n3,c\n");
  json scenario = csv_scenario();
  scenario["loss"] = "softmax_cross_entropy";
  scenario["model"] = {{"kind", "multilayer_perceptron"}, {"layers", {{{"width", 2}}}}};
  EXPECT_EQ(data_error(scenario), "s.json: /model/layers/0/width: found 2, expected 3, for the data have 3 classes");
  EXPECT_EQ(data_error(scenario, {{"model.layers.0.width", "3"}}), "");
  EXPECT_EQ(data_error(scenario, {{"model.layers.0.width", "3"}, {"batch", "4"}}),
            "s.json: /batch: found 4, expected \"full\" or from 1 to 3, the data's rows");
}

TEST_F(Posing, RefusesWhatNoMachineHolds) {
  EXPECT_EQ(read_error(perceptron_scenario(), {{"width", "100000"}}),
            "s.json: /model: found more than 1000000000 parameters, expected fewer");
}

TEST_F(Posing, RefusesARateThatSinglePrecisionCannotHold) {
  EXPECT_EQ(read_error(linear_scenario(), {{"learning_rate", "1e-60"}}),
            "s.json: --set learning_rate: found a number outside the range of f32, expected a positive number that f32 "
            "can hold");
  EXPECT_EQ(read_error(linear_scenario(), {{"learning_rate", "1e-60"}, {"dtype", "f64"}}), "");
}

TEST_F(Posing, RefusesNormalizationsThatMeanNothing) {
  const auto error_with = [&](std::vector<Setting> settings) {
    settings.push_back({"model.layers.1.normalization", "layer"});
    return read_error(perceptron_scenario(), settings);
  };
  const std::string found = "s.json: --set model.layers.1.normalization: found \"layer\" with ";
  EXPECT_EQ(error_with({}), "");
  EXPECT_EQ(error_with({{"width", "1"}}),
            found + "1 output, expected \"none\", or three outputs or more: of fewer nothing or a sign is left");
  EXPECT_EQ(error_with({{"dtype", "bf16"}}), found + "the dtype \"bf16\", expected \"none\", or f32 or f64");
  json squares = perceptron_scenario();
  squares["loss"] = "mse";
  squares["data"]["kind"] = "teacher";
  squares["task"] = "gradients";
  squares["model"]["layers"][0]["normalization"] = "layer";
  EXPECT_EQ(read_error(squares),
            "s.json: /model/layers/0/normalization: found \"layer\" with the task \"gradients\", expected \"none\", or "
            "the task train");
  EXPECT_NE(read_error(linear_scenario(), {{"model.normalization", "layer"}}), "");
}

Problem two_layers() {
  Problem problem;
  problem.layers = {{4, 5, Activation::relu, true}, {5, 2, Activation::identity, false}};
  problem.rows = 21;
  problem.batch_rows = 10;
  return problem;
}

TEST(Problem, NamesParametersInOrder) {
  const std::vector<ParameterShape> shapes = parameter_shapes(two_layers());
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].name, "w0");
  EXPECT_EQ(shapes[0].rows, 4);
  EXPECT_EQ(shapes[0].columns, 5);
  EXPECT_EQ(shapes[1].name, "b0");
  EXPECT_EQ(shapes[1].rows, 1);
  EXPECT_EQ(shapes[1].columns, 5);
  EXPECT_EQ(shapes[2].name, "w1");
  EXPECT_EQ(shapes[2].size(), 10);
}

TEST(Problem, CountsStepsPerEpoch) { EXPECT_EQ(two_layers().steps_per_epoch(), 3); }

TEST(Problem, CountsOperations) {
  // Products: forward 10x4x5 and 10x5x2, weight gradients the same, gradient of the hidden layer 10x5x2.
  const double products = 2 * (200 + 100 + 200 + 100 + 100);
  const double bias = 2 * 50;        // added, and its column sum
  const double activation = 2 * 50;  // maximum; selection
  const double loss = 2 * 20;        // difference, scale
  const double update = 2 * (20 + 5 + 10);
  EXPECT_EQ(operations_per_step(two_layers()), products + bias + activation + loss + update);
}

TEST(Problem, CountsOneForwardPassAndASweepPerOutput) {
  Problem problem = two_layers();
  problem.task = Task::gradients;
  const double forward = 2 * (200 + 100) + 50 + 50;               // products, bias, activation
  const double sweep = 2 * 20 + 2 * (200 + 100 + 100) + 50 + 50;  // loss, products, column sum, derivative
  const double sum = 20 + 5 + 10;                                 // of two gradients
  EXPECT_EQ(operations_per_step(problem), forward + 2 * sweep + sum + 2 * (20 + 5 + 10));
  problem.layers.back().outputs = 1;
  const double one_output = operations_per_step(problem);
  problem.task = Task::train;
  EXPECT_EQ(operations_per_step(problem), one_output);
}

}  // namespace
}  // namespace gdbench::scenario
