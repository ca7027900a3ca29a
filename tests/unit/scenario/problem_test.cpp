#include "harness/scenario/problem.h"

#include <gtest/gtest.h>

namespace gdbench::scenario {
namespace {

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
