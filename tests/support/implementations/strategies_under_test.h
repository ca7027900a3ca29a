// All strategies on all backends, for tests of what they have in common.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {

// What trains and updates; tape+rerecord does neither.
inline constexpr const StrategyDescriptor* kTrainers[] = {&hand::kDescriptor, &tape::kDescriptor,
                                                          &tape::kReplayDescriptor, &graph::kDescriptor};

class StrategiesTest : public testing::TestWithParam<backends::BackendCase> {
 protected:
  static TrainingCase with_dtype(TrainingCase values) {
    values.dtype = GetParam().dtype;
    return values;
  }

  // With the problem's state. `options` are for the strategies that have them.
  static std::unique_ptr<Strategy> start(const StrategyDescriptor& descriptor, TrainingProblem& training,
                                         const std::vector<gdbench_option_value>& options = {}) {
    training.mutable_settings().option_count = static_cast<std::int64_t>(options.size());
    training.mutable_settings().options = options.data();
    const strategies::Setup setup{backends::backend_named(GetParam().backend), training.data(), training.problem(),
                                  training.settings()};
    auto strategy =
        training.problem().task == GDBENCH_TASK_UPDATE ? descriptor.create_update(setup) : descriptor.create(setup);
    strategy->set_state(training.state());
    return strategy;
  }

  // The parameters after `steps` steps in two calls.
  static std::vector<Dense> trained(const StrategyDescriptor& descriptor, const TrainingCase& values,
                                    std::uint64_t steps, const std::vector<gdbench_option_value>& options = {}) {
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(descriptor, training, options);
    strategy->run(1);
    strategy->run(steps - 1);
    strategy->sync();
    strategy->get_state(training.state());
    EXPECT_EQ(training.state().step, static_cast<std::int64_t>(steps));
    return training.state_values();
  }

  // It is where plain loops are after `steps` steps.
  static void expect_trained(TrainingProblem& training, Strategy& strategy, std::int64_t steps) {
    strategy.get_state(training.state());
    EXPECT_EQ(training.state().step, steps);
    expect_near(training.state_values(), training.trained(steps), tolerance());
  }

  static Records profiled(Strategy& strategy, std::uint64_t steps) { return said_by(strategy, steps).records; }

  static void expect_near(const std::vector<Dense>& actual, const std::vector<Dense>& expected, double tolerance) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t p = 0; p < expected.size(); ++p) {
      ASSERT_EQ(actual[p].values.size(), expected[p].values.size());
      for (std::size_t i = 0; i < expected[p].values.size(); ++i) {
        ASSERT_NEAR(actual[p].values[i], expected[p].values[i], tolerance) << "parameter " << p << " entry " << i;
      }
    }
  }

  static double tolerance() { return GetParam().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11; }
  static std::string name_of(const StrategyDescriptor& descriptor) {
    return std::string(descriptor.name) + descriptor.policy;
  }
};

}  // namespace gdbench::strategies
