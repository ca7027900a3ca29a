// What the hand strategy says that it ran, on every backend.
#include "implementations/strategies/hand/hand.h"

#include <gtest/gtest.h>

#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

class HandTest : public StrategiesTest {};

TEST_P(HandTest, ProfilesWhatItRuns) {
  TrainingProblem training({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)},
                            .dtype = GetParam().dtype,
                            .rows = 10,
                            .batch_rows = 10});
  const auto strategy = start(hand::kDescriptor, training);
  const Records records = profiled(*strategy, 4);
  expect_trained(training, *strategy, 4);
  const auto& forward = records.at({"product", catalogue::Phase::forward});
  EXPECT_EQ(forward.calls, 8u);
  EXPECT_EQ(forward.flops, 4 * 2 * (10 * 3 * 5 + 10 * 5 * 2));
  const auto size = GetParam().dtype == catalogue::Dtype::f32 ? 4.0 : 8.0;
  EXPECT_EQ(forward.bytes, 4 * size * ((30 + 15 + 50) + (50 + 10 + 20)));
  EXPECT_GT(forward.time_ns, 0);
  EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 12u);  // never the gradient of X
  EXPECT_EQ(records.at({"column_sum", catalogue::Phase::backward}).calls, 8u);
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 4u);
  EXPECT_EQ(records.count({"loss", catalogue::Phase::forward}), 0u);
}

TEST_P(HandTest, AGradientPerOutputTakesOneForwardPassAndASweepEach) {
  TrainingProblem training({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 4)},
                            .dtype = GetParam().dtype,
                            .rows = 10,
                            .batch_rows = 10,
                            .task = catalogue::Task::gradients});
  const auto strategy = start(hand::kDescriptor, training);
  const Records records = profiled(*strategy, 2);
  expect_trained(training, *strategy, 2);
  EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 2u * 2);
  EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 2u * 4 * 3);
  EXPECT_EQ(records.at({"loss_gradient", catalogue::Phase::backward}).calls, 2u);
  EXPECT_EQ(records.at({"multiply", catalogue::Phase::backward}).calls, 2u * 4);
  EXPECT_EQ(records.at({"combine", catalogue::Phase::backward}).calls, 2u * 3 * 2) << "the biases' sums";
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 2u);
}

INSTANTIATE_TEST_SUITE_P(Backends, HandTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
