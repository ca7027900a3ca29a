// The tape's strategies on every backend: to the last bit those of `hand` or of each other, and steady.
#include "implementations/strategies/tape/tape_strategy.h"

#include <gtest/gtest.h>

#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

class TapeStrategyTest : public StrategiesTest {
 protected:
  // Two strategies run the same kernels on the same numbers: their parameters and losses have the same bits.
  static void expect_same(const StrategyDescriptor& one, const StrategyDescriptor& other, const TrainingCase& values) {
    const auto end_of = [&](const StrategyDescriptor& descriptor, double& loss) {
      TrainingProblem training(with_dtype(values));
      const auto strategy = start(descriptor, training);
      strategy->run(1);
      strategy->run(8);
      strategy->get_state(training.state());
      loss = strategy->evaluate(0);
      return training.state_values();
    };
    double loss = 0, other_loss = 0;
    const std::vector<Dense> actual = end_of(one, loss);
    const std::vector<Dense> expected = end_of(other, other_loss);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      EXPECT_EQ(actual[p].values, expected[p].values) << name_of(one) << " and " << name_of(other);
    }
    EXPECT_EQ(loss, other_loss) << name_of(one) << " and " << name_of(other);
  }
};

constexpr const StrategyDescriptor* kBoth[] = {&tape::kDescriptor, &tape::kReplayDescriptor};

constexpr const StrategyDescriptor* kWithGradients[] = {&tape::kDescriptor, &tape::kReplayDescriptor,
                                                        &tape::kRerecordDescriptor};

TEST_P(TapeStrategyTest, MakesTheSameOfAGradientPerOutputWhoeverRecordsHowOften) {
  for (const TrainingCase& values : gradients_cases()) {
    expect_same(tape::kReplayDescriptor, tape::kDescriptor, values);
    expect_same(tape::kRerecordDescriptor, tape::kDescriptor, values);
  }
}

TEST_P(TapeStrategyTest, RecordsTheForwardPassOnceOrForEachGradient) {
  for (const StrategyDescriptor* descriptor : kWithGradients) {
    TrainingProblem training(with_dtype({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 4)},
                                         .rows = 10,
                                         .batch_rows = 10,
                                         .task = catalogue::Task::gradients}));
    const auto strategy = start(*descriptor, training);
    strategy->run(1);
    const Records records = profiled(*strategy, 2);
    const std::uint64_t recordings = descriptor == &tape::kRerecordDescriptor ? 4 : 1;
    EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 2 * recordings * 2) << descriptor->policy;
    EXPECT_EQ(records.at({"multiply", catalogue::Phase::forward}).calls, 2u * 4 * 2) << "outputs and targets";
    EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 2u * 4 * 3);
    EXPECT_EQ(records.at({"loss_gradient", catalogue::Phase::backward}).calls, 2u * 4);
    EXPECT_EQ(records.at({"combine", catalogue::Phase::backward}).calls, 2u * 3 * 4) << "sums of four parameters";
    EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 2u);
  }
}

TEST_P(TapeStrategyTest, ASteadyStepOfSeveralGradientsAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  for (const StrategyDescriptor* descriptor : kWithGradients) {
    for (const TrainingCase& values : gradients_cases()) {
      TrainingProblem training(with_dtype(values));
      const auto strategy = start(*descriptor, training);
      strategy->run(8);
      const std::uint64_t before = allocation_count();
      strategy->run(20);
      EXPECT_EQ(allocation_count(), before) << descriptor->policy;
    }
  }
}

// A difference of their times is the strategy's.
TEST_P(TapeStrategyTest, IsHandToTheLastBit) {
  for_each_training_case([](const TrainingCase& values) {
    for (const StrategyDescriptor* descriptor : kBoth) expect_same(*descriptor, hand::kDescriptor, values);
  });
}

// Where a library allocates by itself, not more than hand with the same calls.
TEST_P(TapeStrategyTest, ASteadyStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc";
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "a device's runtime allocates as it likes";
  const auto allocations = [this](const StrategyDescriptor& descriptor, const TrainingCase& values) {
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(descriptor, training);
    strategy->run(8);  // every batch size
    const std::uint64_t before = allocation_count();
    strategy->run(20);
    return allocation_count() - before;
  };
  for (const StrategyDescriptor* descriptor : kBoth) {
    for (const TrainingCase& values : training_cases()) {
      const bool allocates = !backends::why_allocations_are_not_counted(GetParam().backend).empty();
      const std::uint64_t by_the_library = allocates ? allocations(hand::kDescriptor, values) : 0;
      EXPECT_EQ(allocations(*descriptor, values), by_the_library) << descriptor->policy;
    }
  }
}

TEST_P(TapeStrategyTest, ProfilesWhatItRuns) {
  for (const StrategyDescriptor* descriptor : kBoth) {
    TrainingProblem training(
        with_dtype({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)}, .rows = 10, .batch_rows = 10}));
    const auto strategy = start(*descriptor, training);
    strategy->run(1);
    const Records records = profiled(*strategy, 4);
    EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 8u);
    EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 12u);
    EXPECT_EQ(records.at({"column_sum", catalogue::Phase::backward}).calls, 8u);
    EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 4u);
    EXPECT_EQ(records.count({"loss", catalogue::Phase::forward}), 0u);
    EXPECT_EQ(records.count({"combine", catalogue::Phase::backward}), 0u);  // nothing is copied or accumulated
    if (descriptor == &tape::kDescriptor) {
      EXPECT_EQ(records.at({"tape", catalogue::Phase::record}).calls, 4u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, TapeStrategyTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
