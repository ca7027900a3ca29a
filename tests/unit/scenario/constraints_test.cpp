#include "harness/scenario/constraints.h"

#include "harness/base/text.h"
#include "harness/scenario/problem.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::csv_scenario, tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;

class Posing : public Files {
 protected:
  Problem problem(const json& scenario, const std::vector<Setting>& settings = {}) const {
    const Scenario read = read_scenario(write_json(scenario), settings).value();
    return data::make_problem(read, data::make_dataset(read).value()).value();
  }
};

std::string layers_of(const Problem& problem) {
  std::string text;
  for (const Layer& layer : problem.layers) {
    text += cat(layer.inputs, " to ", layer.outputs, " ", name_of(layer.activation), layer.bias ? " + bias; " : "; ");
  }
  return text;
}

TEST_F(Posing, MakesTheLayersOfTheModel) {
  const Problem deep = problem(perceptron_scenario());
  EXPECT_EQ(layers_of(deep), "2 to 5 relu + bias; 5 to 4 tanh; 4 to 3 identity + bias; ");
  EXPECT_EQ(deep.batch_rows, 8);
  EXPECT_EQ(deep.rows, 30);
  EXPECT_EQ(deep.steps_per_epoch(), 4);
  EXPECT_EQ(deep.dtype, Dtype::f64);
  const Problem linear = problem(linear_scenario(), {{"data.outputs", "2"}, {"model.bias", "true"}});
  EXPECT_EQ(layers_of(linear), "3 to 2 identity + bias; ");
  EXPECT_EQ(linear.batch_rows, 20);
}

TEST_F(Posing, ChecksBatchesAgainstTheRowsOfAFile) {
  write("table.csv", "x,y\n1,2\n2,1\n3,2\n");
  EXPECT_EQ(data_error(csv_scenario(), {{"batch", "3"}}), "");
  EXPECT_EQ(data_error(csv_scenario(), {{"batch", "4"}}),
            "s.json: /batch: found 4, expected \"full\" or from 1 to 3, the data's rows");
}

TEST_F(Posing, RefusesWhatNoMachineOrSinglePrecisionCanHold) {
  EXPECT_EQ(read_error(perceptron_scenario(), {{"width", "100000"}}),
            "s.json: /model: found more than 1000000000 parameters, expected fewer");
  const std::string outside = ": found a number outside the range of f32, expected a positive number that f32 can hold";
  EXPECT_EQ(read_error(linear_scenario(), {{"learning_rate", "1e-60"}}), "s.json: --set learning_rate" + outside);
  EXPECT_EQ(read_error(linear_scenario(), {{"optimizer", "adam"}, {"optimizer.epsilon", "1e-60"}}),
            "s.json: --set optimizer.epsilon" + outside);
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

TEST_F(Posing, RefusesMuonWhereItMovesNoMatrixOrRoundsOperands) {
  const auto error_of = [&](const json& scenario, std::vector<Setting> settings) {
    settings.push_back({"optimizer.kind", "muon"});
    return read_error(scenario, settings);
  };
  const std::string found = "s.json: --set optimizer.kind: found \"muon\" with ";
  const std::string no_matrix =
      "no weights between a first and a last layer, expected another optimizer, or a multilayer_perceptron of three "
      "layers or more";
  EXPECT_EQ(error_of(perceptron_scenario(), {}), "");
  EXPECT_EQ(error_of(perceptron_scenario(), {{"dtype", "f16"}}),
            found + "the dtype \"f16\", expected another optimizer, or f32 or f64");
  EXPECT_EQ(error_of(linear_scenario(), {}), found + no_matrix);
  json two_layers = perceptron_scenario();
  two_layers["model"]["layers"].erase(1);
  EXPECT_EQ(error_of(two_layers, {}), found + no_matrix);
}

TEST_F(Posing, RefusesAnAverageThatNoStepTells) {
  const auto error_of = [&](const std::string& momentum, const std::string& dtype) {
    return read_error(linear_scenario(),
                      {{"optimizer.kind", "schedule_free_sgd"}, {"optimizer.momentum", momentum}, {"dtype", dtype}});
  };
  EXPECT_EQ(error_of("0.5", "bf16"), "");
  EXPECT_NE(error_of("0", "f32").find("optimizer.momentum: found 0, expected a number above 0"), std::string::npos);
  EXPECT_NE(error_of("0.5", "f16").find("\"f16\" with the optimizer schedule_free_sgd"), std::string::npos);
}

Problem two_layers() {
  Problem problem;
  problem.layers = {{4, 5, Activation::relu, true}, {5, 2, Activation::identity, false}};
  problem.rows = 21;
  problem.batch_rows = 10;
  return problem;
}

TEST(Problem, CountsOperations) {
  // Products: forward 10x4x5 and 10x5x2, weight gradients the same, gradient of the hidden layer 10x5x2.
  const double products = 2 * (200 + 100 + 200 + 100 + 100);
  const double bias = 2 * 50;        // added, and its column sum
  const double activation = 2 * 50;  // maximum; selection
  const double loss = 2 * 20;        // difference, scale
  const double update = 2 * (20 + 5 + 10);
  EXPECT_EQ(operations_per_step(two_layers()), products + bias + activation + loss + update);
}

TEST(Problem, CountsTheForwardPassAlone) {
  Problem problem = two_layers();
  problem.task = Task::forward;
  const double loss = 3 * 20;  // difference, square, sum
  EXPECT_EQ(operations_per_step(problem), 2 * (200 + 100) + 50 + 50 + loss);
}

// Of 5x3 in each of five steps: its square, the square's, and the product with it.
TEST(Problem, CountsTheProductsOfMuon) {
  Problem problem = two_layers();
  problem.layers = {{4, 5}, {5, 3}, {3, 2}};
  problem.optimizer.kind = OptimizerKind::adamw;
  const double without = operations_per_step(problem);
  problem.optimizer.kind = OptimizerKind::muon;
  EXPECT_EQ(operations_per_step(problem), without + 5 * 2 * (3 * 5 * 3 + 3 * 3 * 3 + 5 * 3 * 3));
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
