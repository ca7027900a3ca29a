// The hand strategy on both backends against the plain loops of training_case.h.
#include "implementations/strategies/hand/hand.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "implementations/common/failure.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {
namespace {

using backends::all_cases;
using backends::backend_named;
using backends::BackendCase;

class HandTest : public testing::TestWithParam<BackendCase> {
 protected:
  std::unique_ptr<Strategy> start(TrainingProblem& training) const {
    auto strategy = hand::kDescriptor.create(
        {backend_named(GetParam().backend), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    return strategy;
  }

  double tolerance() const { return GetParam().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11; }

  void expect_trained(TrainingProblem& training, Strategy& strategy, std::int64_t steps) const {
    strategy.get_state(training.state());
    EXPECT_EQ(training.state().step, steps);
    const std::vector<Dense> actual = training.state_values();
    const std::vector<Dense> expected = training.trained(steps);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t entry = 0; entry < expected[i].values.size(); ++entry) {
        ASSERT_NEAR(actual[i].values[entry], expected[i].values[entry], tolerance())
            << "parameter " << i << " entry " << entry;
      }
    }
  }

  // `steps` updates in two calls, then the losses of both splits.
  void check(TrainingCase values, std::int64_t steps) const {
    values.dtype = GetParam().dtype;
    TrainingProblem training(values);
    const auto strategy = start(training);
    strategy->run(1);
    strategy->run(static_cast<std::uint64_t>(steps - 1));
    strategy->sync();
    expect_trained(training, *strategy, steps);
    for (const int split : {0, 1}) {
      EXPECT_NEAR(strategy->evaluate(split), training.loss(training.trained(steps), split), tolerance());
    }
    strategy->run(2);  // evaluating changed nothing
    expect_trained(training, *strategy, steps + 2);
  }
};

TEST_P(HandTest, TrainsLikePlainLoops) {
  for_each_training_case([&](const TrainingCase& values) { check(values, 8); });
}

TEST_P(HandTest, AGradientPerOutput) {
  for (const TrainingCase& values : gradients_cases()) check(values, 8);
}

TEST_P(HandTest, AGradientPerOutputTakesOneForwardPassAndASweepEach) {
  TrainingProblem training({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 4)},
                            .dtype = GetParam().dtype,
                            .rows = 10,
                            .batch_rows = 10,
                            .task = catalogue::Task::gradients});
  const auto strategy = start(training);
  const Records records = said_by(*strategy, 2).records;
  expect_trained(training, *strategy, 2);
  EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 2u * 2);
  EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 2u * 4 * 3);
  EXPECT_EQ(records.at({"loss_gradient", catalogue::Phase::backward}).calls, 2u);
  EXPECT_EQ(records.at({"multiply", catalogue::Phase::backward}).calls, 2u * 4);
  EXPECT_EQ(records.at({"combine", catalogue::Phase::backward}).calls, 2u * 3 * 2) << "the biases' sums";
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 2u);
}

TEST_P(HandTest, SetStateRewinds) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 3});
  const auto strategy = start(training);
  strategy->run(5);
  TrainingProblem fresh({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 3});
  strategy->set_state(fresh.state());
  strategy->run(4);
  expect_trained(training, *strategy, 4);
}

TEST_P(HandTest, EvaluatesMoreRowsThanAPieceHolds) {
  TrainingProblem training({.layers = {layer(2, 1)}, .dtype = GetParam().dtype, .rows = 9001, .batch_rows = 10});
  EXPECT_NEAR(start(training)->evaluate(0), training.loss(training.initial(), 0), tolerance());
}

TEST_P(HandTest, ASteadyStepAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  const TrainingCase cases[] = {
      {.layers = {layer(2, 1)}, .dtype = GetParam().dtype, .rows = 3, .batch_rows = 3},
      {.layers = {layer(10, 50, catalogue::Activation::relu), layer(50, 1)},
       .dtype = GetParam().dtype,
       .rows = 1000,
       .batch_rows = 1000},
      // Operands beyond what Eigen would pack on the stack; a smaller last batch; shuffled; a schedule.
      {.layers = {layer(784, 128, catalogue::Activation::relu), layer(128, 10)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .dtype = GetParam().dtype,
       .rows = 80,
       .batch_rows = 32,
       .shuffled = true,
       .learning_rates = {0.01, 0.02, 0.03}},
      {.layers = {layer(5, 9, catalogue::Activation::tanh), layer(9, 3)},
       .dtype = GetParam().dtype,
       .rows = 10,
       .batch_rows = 4,
       .task = catalogue::Task::gradients},
  };
  for (const TrainingCase& values : cases) {
    TrainingProblem training(values);
    const auto strategy = start(training);
    const std::uint64_t before = allocation_count();
    strategy->run(7);
    strategy->sync();
    EXPECT_EQ(allocation_count() - before, 0u);
  }
  // The counter works, also for what the kernel library allocates.
  const std::uint64_t before = allocation_count();
  TrainingProblem training(cases[0]);
  EXPECT_GT(allocation_count(), before);
  const std::uint64_t loaded = allocation_count();
  start(training);
  EXPECT_GT(allocation_count(), loaded);
}

TEST_P(HandTest, ProfilesWhatItRuns) {
  TrainingProblem training({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)},
                            .dtype = GetParam().dtype,
                            .rows = 10,
                            .batch_rows = 10});
  const auto strategy = start(training);
  const Records records = said_by(*strategy, 4).records;
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

TEST_P(HandTest, RefusesAStateOfOtherShapes) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 7});
  TrainingProblem other({.layers = {layer(3, 4)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 7});
  const auto strategy = start(training);
  EXPECT_THROW(strategy->set_state(other.state()), implementations::Failure);
}

INSTANTIATE_TEST_SUITE_P(Backends, HandTest, testing::ValuesIn(all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
