// What all strategies that train have in common, on every backend, against the plain loops of training_case.h.
#include <gtest/gtest.h>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

using Options = std::vector<gdbench_option_value>;

const Options kNoPasses = {{"passes", "none"}};

class TrainingTest : public StrategiesTest {
 protected:
  // `steps` updates in two calls, then the losses of both splits.
  static void check(const StrategyDescriptor& descriptor, const TrainingCase& values, std::int64_t steps,
                    const Options& options = {}) {
    SCOPED_TRACE(name_of(descriptor) + (options.empty() ? "" : std::string(" ") + options.front().value));
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(descriptor, training, options);
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

TEST_P(TrainingTest, IsThatOfPlainLoops) {
  for_each_training_case([](const TrainingCase& values) {
    for (const StrategyDescriptor* descriptor : kTrainers) check(*descriptor, values, 8);
    check(graph::kDescriptor, values, 8, kNoPasses);
  });
}

TEST_P(TrainingTest, AGradientPerOutput) {
  for (const TrainingCase& values : gradients_cases()) {
    for (const StrategyDescriptor* descriptor : kTrainers) check(*descriptor, values, 8);
    check(tape::kRerecordDescriptor, values, 8);
    for (const char* passes : {"none", "-fusion", "-merge-updates", "-buffer-reuse", "none,+fusion"}) {
      check(graph::kDescriptor, values, 8, {{"passes", passes}});
    }
  }
}

TEST_P(TrainingTest, PerceptronsByGraphsWithEachPassOffAndEachAlone) {
  const TrainingCase values = {
      .layers = {layer(4, 6, catalogue::Activation::relu), layer(6, 5, catalogue::Activation::sigmoid, false),
                 layer(5, 3, catalogue::Activation::tanh), layer(3, 2, catalogue::Activation::sigmoid)},
      .loss = catalogue::Loss::half_mse,
      .rows = 13,
      .batch_rows = 13};
  std::vector<std::string> names = {graph::kBufferReuse};
  for (const graph::Pass& pass : graph::all_passes()) names.push_back(pass.name);
  for (const std::string& name : names) {
    for (const std::string& passes : {"-" + name, "none,+" + name}) {
      check(graph::kDescriptor, values, 3, {{"passes", passes.c_str()}});
    }
  }
}

TEST_P(TrainingTest, SetStateRewinds) {
  const TrainingCase values = with_dtype({.layers = {layer(3, 2)}, .rows = 7, .batch_rows = 3});
  for (const StrategyDescriptor* descriptor : kTrainers) {
    SCOPED_TRACE(name_of(*descriptor));
    TrainingProblem training(values);
    const auto strategy = start(*descriptor, training);
    strategy->run(5);
    TrainingProblem fresh(values);
    strategy->set_state(fresh.state());
    strategy->run(4);
    expect_trained(training, *strategy, 4);
  }
}

TEST_P(TrainingTest, RefusesAStateOfOtherShapes) {
  TrainingProblem training(with_dtype({.layers = {layer(3, 2)}, .rows = 7, .batch_rows = 7}));
  TrainingProblem other(with_dtype({.layers = {layer(3, 4)}, .rows = 7, .batch_rows = 7}));
  for (const StrategyDescriptor* descriptor : kTrainers) {
    const auto strategy = start(*descriptor, training);
    EXPECT_THROW(strategy->set_state(other.state()), implementations::Failure) << name_of(*descriptor);
  }
}

TEST_P(TrainingTest, EvaluatesMoreRowsThanAPieceHolds) {
  TrainingProblem training(with_dtype({.layers = {layer(2, 1)}, .rows = 9001, .batch_rows = 10}));
  const double expected = training.loss(training.initial(), 0);
  for (const StrategyDescriptor* descriptor : kTrainers) {
    EXPECT_NEAR(start(*descriptor, training)->evaluate(0), expected, tolerance()) << name_of(*descriptor);
  }
}

// From the first step on; a tape allocates when it records (TapeStrategyTest).
TEST_P(TrainingTest, AStepAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  const TrainingCase cases[] = {
      {.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3},
      {.layers = {layer(10, 50, catalogue::Activation::relu), layer(50, 1)}, .rows = 1000, .batch_rows = 1000},
      // Operands beyond what Eigen would pack on the stack; a smaller last batch; shuffled; a schedule.
      {.layers = {layer(784, 128, catalogue::Activation::relu), layer(128, 10)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 80,
       .batch_rows = 32,
       .shuffled = true,
       .learning_rates = {0.01, 0.02, 0.03}},
      {.layers = {layer(5, 9, catalogue::Activation::tanh), layer(9, 3)},
       .rows = 10,
       .batch_rows = 4,
       .task = catalogue::Task::gradients},
  };
  const auto allocations = [](Strategy& strategy) {
    const std::uint64_t before = allocation_count();
    strategy.run(7);
    strategy.sync();
    return allocation_count() - before;
  };
  for (const TrainingCase& values : cases) {
    TrainingProblem training(with_dtype(values));
    EXPECT_EQ(allocations(*start(hand::kDescriptor, training)), 0u);
    EXPECT_EQ(allocations(*start(graph::kDescriptor, training)), 0u);
    EXPECT_EQ(allocations(*start(graph::kDescriptor, training, kNoPasses)), 0u);
  }
  // The counter works, also for what the kernel library allocates.
  const std::uint64_t before = allocation_count();
  TrainingProblem training(with_dtype(cases[0]));
  EXPECT_GT(allocation_count(), before);
  const std::uint64_t loaded = allocation_count();
  start(hand::kDescriptor, training);
  EXPECT_GT(allocation_count(), loaded);
}

INSTANTIATE_TEST_SUITE_P(Backends, TrainingTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
