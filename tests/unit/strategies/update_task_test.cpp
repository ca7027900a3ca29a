// The task update in every strategy: parameters and slots end where the reference's do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "implementations/strategies/common/moment_corrections.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

const Sizes kSizes = {{3, 5}, {1, 1}, {7, 1}, {4, 4}, {1, 33}};
constexpr OptimizerCase kSgd = {catalogue::OptimizerKind::sgd, 0, false};
constexpr OptimizerCase kAdam = {catalogue::OptimizerKind::adam, 0.125, true};

TrainingCase update_of(const Sizes& sizes, const OptimizerCase& optimizer) {
  TrainingCase values{.layers = {},
                      .rows = 1,
                      .batch_rows = 1,
                      .learning_rates = {0.05, 0.03, 0.04},
                      .task = catalogue::Task::update,
                      .optimizer = optimizer};
  for (const auto& [rows, columns] : sizes) {
    values.layers.push_back(layer(rows, columns, catalogue::Activation::identity, false));
  }
  return values;
}

Options update_of_each(const StrategyDescriptor& descriptor) {
  if (&descriptor == &graph::kDescriptor) return {{"passes", "-merge-updates"}};
  return {{"update", "each"}};
}

class UpdateTaskTest : public StrategiesTest {
 protected:
  static void check(const StrategyDescriptor& descriptor, const TrainingCase& values, std::int64_t steps,
                    const Options& options = {}) {
    SCOPED_TRACE(name_of(descriptor) + " kind " + catalogue::name_of(values.optimizer.kind));
    TrainingProblem training(with_dtype(values));
    training.add_slots();
    const auto strategy = start(descriptor, training, options);
    const std::vector<Dense> expected = training.trained(steps);
    auto* gradients = static_cast<std::byte*>(const_cast<void*>(training.data().x));
    std::fill_n(gradients, 8, std::byte{0});  // they were copied
    strategy->run(static_cast<std::uint64_t>(steps / 2));
    strategy->run(static_cast<std::uint64_t>(steps - steps / 2));
    strategy->sync();
    strategy->get_state(training.state());
    EXPECT_EQ(training.state().step, steps);
    expect_near(training.state_values(), expected, 128 * epsilon_of(GetParam().dtype));
  }

  static gdbench_profile_record update_record(const StrategyDescriptor& descriptor, const TrainingCase& values,
                                              const Options& options = {}) {
    TrainingProblem training(with_dtype(values));
    return profiled(*start(descriptor, training, options), 3).at({"update", catalogue::Phase::update});
  }
};

TEST_P(UpdateTaskTest, FollowsTheRuleInEveryStrategyByOneCallAndByOneForEachTensor) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    for (const OptimizerCase& optimizer : optimizer_cases()) {
      check(*descriptor, update_of(kSizes, optimizer), 37);
      check(*descriptor, update_of(kSizes, optimizer), 5, update_of_each(*descriptor));
    }
    check(*descriptor, update_of({{5, 9}}, kAdam), 5);  // a tensor alone
    const Options each = update_of_each(*descriptor);
    EXPECT_EQ(update_record(*descriptor, update_of(kSizes, kAdam), each).calls, 3u * kSizes.size());
    EXPECT_EQ(update_record(*descriptor, update_of(kSizes, kAdam)).calls, 3u);
  }
}

// As the catalogue counts: gradients are read, parameters and slots read and written.
TEST_P(UpdateTaskTest, ItsCostIsThatOfTheRule) {
  const auto size = static_cast<double>(catalogue::size_of(GetParam().dtype));
  for (const catalogue::OptimizerKind kind : catalogue::all_of<catalogue::OptimizerKind>()) {
    for (const double decay : {0.0, 0.5}) {
      const gdbench_profile_record update = update_record(hand::kDescriptor, update_of({{5, 9}}, {kind, decay, false}));
      EXPECT_EQ(update.flops, 3 * 45 * catalogue::operations_of(kind, decay != 0, false));
      const double arrays = 3 + 2 * static_cast<double>(catalogue::slot_count(kind));
      EXPECT_EQ(update.bytes, 3 * (45 * arrays * size + sizeof(backends::UpdateScalars)));
    }
  }
}

TEST_P(UpdateTaskTest, ManyTensors) {
  Sizes sizes(500, {64, 1});
  sizes.push_back({512, 512});
  for (const StrategyDescriptor* descriptor : kTrainers) {
    check(*descriptor, update_of(sizes, {catalogue::OptimizerKind::momentum, 0, false}), 2);
  }
}

TEST_P(UpdateTaskTest, HasNoLoss) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    TrainingProblem training(with_dtype(update_of(kSizes, kSgd)));
    const auto strategy = start(*descriptor, training);
    try {
      strategy->evaluate(0);
      ADD_FAILURE() << name_of(*descriptor);
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
    }
  }
}

TEST_P(UpdateTaskTest, AStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc";
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "a device's runtime allocates as it likes";
  for (const StrategyDescriptor* descriptor : kTrainers) {
    TrainingProblem training(with_dtype(update_of(kSizes, kAdam)));
    EXPECT_EQ(allocations(*start(*descriptor, training), 40), 0U) << name_of(*descriptor);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, UpdateTaskTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// (1 - beta) (1 + beta + beta^2 + ...): sums of positive terms.
double exact(double beta, std::int64_t update) {
  const long double rest = 1 - static_cast<long double>(beta);
  long double sum = 0;
  long double power = 1;
  for (std::int64_t i = 0; i < update; ++i, power *= beta) sum += power;
  return static_cast<double>(rest * sum);
}

TEST(BiasCorrectionTest, IsExactToAFewRoundingsWhereTheDifferenceIsSmall) {
  for (const double beta : {0.0, 0.3, 0.5, 0.9, 0.999, 0.9999999}) {
    BiasCorrection correction(beta);
    for (std::int64_t update = 1; update <= 1000; ++update) {
      const double expected = exact(beta, update);
      ASSERT_NEAR(correction.at(update), expected, 8 * kEpsilon * expected) << beta << " at " << update;
    }
  }
}

TEST(BiasCorrectionTest, DoesNotDependOnWhatWasAskedBefore) {
  BiasCorrection counting(0.999);
  BiasCorrection jumping(0.999);
  for (std::int64_t update = 1; update <= 200; ++update) {
    const double value = counting.at(update);
    jumping.at(1 + update * 7919 % 1000);
    EXPECT_EQ(jumping.at(update), value) << update;
    EXPECT_EQ(jumping.at(update), value) << update;
  }
}

// As torch.optim.RAdam has it, in twice the digits that its differences cost.
double torch_rectification(double beta2, std::int64_t update) {
  const long double beta = beta2;
  const long double longest = 2 / (1 - beta) - 1;
  const long double decayed = std::pow(beta, static_cast<long double>(update));
  const long double length = longest - 2 * static_cast<long double>(update) * decayed / (1 - decayed);
  if (length <= 5) return 0;
  return static_cast<double>(
      std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)));
}

TEST(RectificationTest, IsThatOfTorch) {
  const std::pair<double, std::int64_t> cases[] = {{0.0, 0}, {0.5, 0}, {0.66, 0}, {0.7, 10}, {0.9, 6}, {0.999, 6}};
  for (const auto& [beta2, first] : cases) {  // the first update that is not left undivided, or none
    Rectification rectification(beta2);
    for (std::int64_t update = 1; update <= 3000; ++update) {
      const double expected = torch_rectification(beta2, update);
      const double found = rectification.at(update);
      ASSERT_NEAR(found, expected, 1e-13) << beta2 << " at " << update;
      ASSERT_EQ(found != 0, first != 0 && update >= first) << beta2 << " at " << update;
    }
  }
}

TEST(RectificationTest, DoesNotDependOnWhatWasAskedBefore) {
  for (const double beta2 : {0.7, 0.999}) {
    Rectification counting(beta2);
    Rectification jumping(beta2);
    for (std::int64_t update = 1; update <= 400; ++update) {
      const double value = counting.at(update);
      jumping.at(1 + update * 7919 % 1000);
      EXPECT_EQ(jumping.at(update), value) << update;
    }
    jumping.at(100000);
    EXPECT_EQ(jumping.at(400), counting.at(400));
  }
}

}  // namespace
}  // namespace gdbench::strategies
