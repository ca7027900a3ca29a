// The tape's strategies on every backend: right, in the task train to the last bit those of `hand`, and steady.
#include "implementations/strategies/tape/tape_strategy.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "implementations/strategies/hand/hand.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {
namespace {

using backends::all_cases;
using backends::backend_named;
using backends::BackendCase;

class TapeStrategyTest : public testing::TestWithParam<BackendCase> {
 protected:
  std::unique_ptr<Strategy> start(const StrategyDescriptor& descriptor, TrainingProblem& training) const {
    auto strategy = descriptor.create(
        {backend_named(GetParam().backend), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    return strategy;
  }
  TrainingCase with_dtype(TrainingCase values) const {
    values.dtype = GetParam().dtype;
    return values;
  }
  std::vector<Dense> trained(const StrategyDescriptor& descriptor, const TrainingCase& values, std::uint64_t steps,
                             double* loss) const {
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(descriptor, training);
    strategy->run(1);
    strategy->run(steps - 1);
    strategy->sync();
    strategy->get_state(training.state());
    EXPECT_EQ(training.state().step, static_cast<std::int64_t>(steps));
    *loss = strategy->evaluate(0);
    return training.state_values();
  }
};

constexpr const StrategyDescriptor* kBoth[] = {&tape::kDescriptor, &tape::kReplayDescriptor};

TEST_P(TapeStrategyTest, TrainsLikePlainLoops) {
  const double tolerance = GetParam().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11;
  for (const StrategyDescriptor* descriptor : kBoth) {
    for (const TrainingCase& values : training_cases()) {
      double loss = 0;
      const std::vector<Dense> actual = trained(*descriptor, values, 8, &loss);
      TrainingProblem training(with_dtype(values));
      const std::vector<Dense> expected = training.trained(8);
      EXPECT_NEAR(loss, training.loss(expected, 0), tolerance);
      for (std::size_t p = 0; p < expected.size(); ++p) {
        for (std::size_t i = 0; i < expected[p].values.size(); ++i) {
          ASSERT_NEAR(actual[p].values[i], expected[p].values[i], tolerance) << descriptor->policy << " " << p;
        }
      }
    }
  }
}

constexpr const StrategyDescriptor* kWithGradients[] = {&tape::kDescriptor, &tape::kReplayDescriptor,
                                                        &tape::kRerecordDescriptor};

TEST_P(TapeStrategyTest, GradientsPerOutputAddUpToTheWhole) {
  const double tolerance = GetParam().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11;
  for (const TrainingCase& values : gradients_cases()) {
    double loss = 0, other_loss = 0;
    const std::vector<Dense> actual = trained(tape::kDescriptor, values, 8, &loss);
    TrainingProblem training(with_dtype(values));
    const std::vector<Dense> expected = training.trained(8);
    EXPECT_NEAR(loss, training.loss(expected, 0), tolerance);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      for (std::size_t i = 0; i < expected[p].values.size(); ++i) {
        ASSERT_NEAR(actual[p].values[i], expected[p].values[i], tolerance) << p;
      }
    }
    // The same kernels on the same numbers, whoever records how often.
    for (const StrategyDescriptor* descriptor : kWithGradients) {
      const std::vector<Dense> other = trained(*descriptor, values, 8, &other_loss);
      for (std::size_t p = 0; p < expected.size(); ++p) EXPECT_EQ(other[p].values, actual[p].values);
      EXPECT_EQ(other_loss, loss);
    }
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
    const Records records = said_by(*strategy, 2).records;
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

// The same kernels in the same order: a difference of their times is the strategy's.
TEST_P(TapeStrategyTest, IsHandToTheLastBit) {
  for (const StrategyDescriptor* descriptor : kBoth) {
    for (const TrainingCase& values : training_cases()) {
      double loss = 0, hand_loss = 0;
      const std::vector<Dense> actual = trained(*descriptor, values, 9, &loss);
      const std::vector<Dense> expected = trained(hand::kDescriptor, values, 9, &hand_loss);
      for (std::size_t p = 0; p < expected.size(); ++p) EXPECT_EQ(actual[p].values, expected[p].values);
      EXPECT_EQ(loss, hand_loss);
    }
  }
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
    const Records records = said_by(*strategy, 4).records;
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

INSTANTIATE_TEST_SUITE_P(Backends, TapeStrategyTest, testing::ValuesIn(all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
