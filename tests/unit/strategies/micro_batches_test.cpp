// Gradient accumulation: the parts of a batch, and that every strategy ends where it does without them.
#include <gtest/gtest.h>

#include "implementations/strategies/common/batch_rows.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

TEST(MicroBatchesTest, AreConsecutiveAndTheFirstOnesAreLarger) {
  const auto sizes = [](std::int64_t rows, std::int64_t count) {
    std::vector<std::int64_t> found;
    std::int64_t first = 0;
    double weight = 0;
    for (const MicroBatch& part : micro_batches(rows, count)) {
      EXPECT_EQ(part.first, first);
      EXPECT_LE(part.rows, largest_micro_batch(rows, count));
      EXPECT_DOUBLE_EQ(part.weight, static_cast<double>(part.rows) / static_cast<double>(rows));
      first += part.rows;
      weight += part.weight;
      found.push_back(part.rows);
    }
    EXPECT_EQ(first, rows);
    EXPECT_NEAR(weight, 1, 1e-15);
    return found;
  };
  EXPECT_EQ(sizes(10, 1), (std::vector<std::int64_t>{10}));
  EXPECT_EQ(sizes(10, 2), (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(sizes(10, 4), (std::vector<std::int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(sizes(3, 5), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_TRUE(micro_batches(0, 3).empty());
}

class AccumulationTest : public StrategiesTest {
 protected:
  // Parts of equal and unequal rows, a smaller last batch, fewer rows than parts; train and gradients.
  static std::vector<TrainingCase> cases() {
    const std::vector<gdbench_layer> deep = {
        {3, 5, GDBENCH_TANH, 1}, {5, 4, GDBENCH_RELU, 0}, {4, 2, GDBENCH_IDENTITY, 1}};
    std::vector<TrainingCase> cases = {
        {.layers = deep, .rows = 12, .batch_rows = 12},
        {.layers = deep, .loss = catalogue::Loss::half_mse, .rows = 17, .batch_rows = 7},
        {.layers = deep, .rows = 17, .batch_rows = 7, .shuffled = true, .learning_rates = {0.1, 0.05, 0.02}},
        {.layers = {{2, 1, GDBENCH_IDENTITY, 1}}, .rows = 10, .batch_rows = 8},
        {.layers = {{4, 3, GDBENCH_IDENTITY, 1}},
         .loss = catalogue::Loss::softmax_cross_entropy,
         .rows = 11,
         .batch_rows = 6,
         .optimizer = {catalogue::OptimizerKind::momentum, 0.01, false}},
    };
    cases.push_back(cases[1]);
    cases.back().task = catalogue::Task::gradients;
    return cases;
  }
};

TEST_P(AccumulationTest, EndsWhereTheWholeBatchDoes) {
  for (const TrainingCase& whole : cases()) {
    TrainingCase values = whole;
    values.dtype = GetParam().dtype;
    const std::vector<Dense> expected = TrainingProblem(values).trained(8);
    for (const std::int64_t count : {1, 2, 3, 5}) {
      values.micro_batches = count;
      for (const StrategyDescriptor* descriptor : kTrainers) {
        SCOPED_TRACE(name_of(*descriptor) + " in " + std::to_string(count) + " of " + std::to_string(whole.batch_rows));
        expect_near(trained(*descriptor, values, 8), expected, tolerance());
      }
      if (values.task == catalogue::Task::gradients) {
        expect_near(trained(tape::kRerecordDescriptor, values, 8), expected, tolerance());
      }
      for (const char* passes : {"none", "-fusion", "-buffer-reuse,-merge-updates"}) {
        expect_near(trained(graph::kDescriptor, values, 8, {{"passes", passes}}), expected, tolerance());
      }
    }
  }
}

TEST_P(AccumulationTest, TakesAPassPerPart) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    TrainingCase values = {.layers = {{3, 5, GDBENCH_TANH, 1}, {5, 2, GDBENCH_IDENTITY, 1}},
                           .dtype = GetParam().dtype,
                           .rows = 10,
                           .batch_rows = 10,
                           .micro_batches = 3};
    TrainingProblem training(values);
    const auto strategy = start(*descriptor, training);
    strategy->run(1);
    const Records records = profiled(*strategy, 2);
    EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 2u * 3 * 2) << name_of(*descriptor);
    EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).flops, 2 * 2 * (10 * 3 * 5 + 10 * 5 * 2));
    // A device's product takes it along.
    const auto by_itself = records.find({"loss_gradient", catalogue::Phase::backward});
    if (by_itself != records.end()) {
      EXPECT_EQ(by_itself->second.calls, 2u * 3);
    } else {
      EXPECT_TRUE((backends::backend_named(GetParam().backend).flags & backends::kEpilogueGradients) != 0);
    }
    EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 2u);
  }
}

TEST_P(AccumulationTest, ASteadyStepAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  for (const StrategyDescriptor* descriptor : kTrainers) {
    for (TrainingCase values : cases()) {
      values.dtype = GetParam().dtype;
      values.micro_batches = 3;
      TrainingProblem training(values);
      const auto strategy = start(*descriptor, training);
      strategy->run(8);
      const std::uint64_t before = allocation_count();
      strategy->run(20);
      EXPECT_EQ(allocation_count(), before) << name_of(*descriptor);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, AccumulationTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
