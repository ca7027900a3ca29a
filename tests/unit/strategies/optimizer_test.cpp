// Training with every optimizer in every strategy, against plain loops.
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

constexpr gdbench_option_value kEach[] = {{"update", "each"}};

class OptimizerTest : public StrategiesTest {
 protected:
  static TrainingCase perceptron(const OptimizerCase& optimizer) {
    return {.layers = {{3, 5, GDBENCH_TANH, 1}, {5, 2, GDBENCH_IDENTITY, 1}},
            .rows = 10,
            .batch_rows = 4,
            .shuffled = true,
            .learning_rates = {0.05, 0.04, 0.03},
            .optimizer = optimizer};
  }
};

TEST_P(OptimizerTest, TrainsLikePlainLoops) {
  for (const OptimizerCase& optimizer : optimizer_cases()) {
    TrainingCase values = perceptron(optimizer);
    values.dtype = GetParam().dtype;
    const TrainingProblem training(values);
    const std::vector<Dense> expected = training.trained(20);
    for (const StrategyDescriptor* descriptor : kTrainers) {
      SCOPED_TRACE(name_of(*descriptor) + " kind " + catalogue::name_of(optimizer.kind));
      expect_near(trained(*descriptor, values, 20), expected, tolerance());
    }
  }
}

TEST_P(OptimizerTest, GraphsWithoutPassesKeepAnUpdatePerParameter) {
  const gdbench_option_value none[] = {{"passes", "none"}};
  for (const OptimizerCase& optimizer : optimizer_cases()) {
    const TrainingCase values = perceptron(optimizer);
    expect_near(trained(graph::kDescriptor, values, 9, {none[0]}), trained(hand::kDescriptor, values, 9), tolerance());
  }
}

TEST_P(OptimizerTest, AnUpdateForEachParameterChangesNothingButTheCalls) {
  for (const StrategyDescriptor* descriptor : {&hand::kDescriptor, &tape::kDescriptor, &tape::kReplayDescriptor}) {
    for (const OptimizerCase& optimizer : optimizer_cases()) {
      const TrainingCase values = perceptron(optimizer);
      expect_near(trained(*descriptor, values, 9, {kEach[0]}), trained(*descriptor, values, 9), tolerance() / 100);
    }
    TrainingCase values = perceptron({catalogue::OptimizerKind::adam, 0, false});
    values.dtype = GetParam().dtype;
    TrainingProblem training(values);
    const auto each = start(*descriptor, training, {kEach[0]});
    each->run(3);  // every batch size
    EXPECT_EQ(profiled(*each, 2).at({"update", catalogue::Phase::update}).calls, 2u * 4) << name_of(*descriptor);
  }
}

TEST_P(OptimizerTest, SetStateTakesSlotsAndTheStepBack) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    TrainingCase values = perceptron({catalogue::OptimizerKind::adam, 0.125, true});
    values.dtype = GetParam().dtype;
    TrainingProblem training(values);
    const auto strategy = start(*descriptor, training);
    strategy->run(21);
    TrainingProblem fresh(values);
    strategy->set_state(fresh.state());  // without slots: they become zero
    strategy->run(18);
    strategy->get_state(training.state());
    expect_near(training.state_values(), training.trained(18), tolerance());
  }
}

TEST_P(OptimizerTest, ASteadyStepAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  for (const StrategyDescriptor* descriptor : kTrainers) {
    TrainingCase values = perceptron({catalogue::OptimizerKind::adam, 0.125, false});
    values.dtype = GetParam().dtype;
    TrainingProblem training(values);
    const auto strategy = start(*descriptor, training);
    strategy->run(8);
    const std::uint64_t before = allocation_count();
    strategy->run(40);
    EXPECT_EQ(allocation_count(), before) << name_of(*descriptor);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, OptimizerTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
