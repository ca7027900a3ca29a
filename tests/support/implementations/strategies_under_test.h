// All strategies on all backends, for tests of what they have in common.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {

using Options = std::vector<gdbench_option_value>;

// What trains and updates; tape+rerecord does neither.
inline constexpr const StrategyDescriptor* kTrainers[] = {&hand::kDescriptor, &tape::kDescriptor,
                                                          &tape::kReplayDescriptor, &graph::kDescriptor};

class StrategiesTest : public testing::TestWithParam<backends::BackendCase> {
 protected:
  static TrainingCase with_dtype(TrainingCase values) {
    values.dtype = GetParam().dtype;
    return values;
  }
  static const backends::Backend& backend() { return backends::backend_named(GetParam().backend); }

  // With the problem's state. `options` are for the strategies that have them.
  static std::unique_ptr<Strategy> start(const StrategyDescriptor& descriptor, TrainingProblem& training,
                                         const Options& options = {}) {
    training.set_options(options);
    const strategies::Setup setup{backend(), training.data(), training.problem(), training.settings()};
    auto strategy = training.problem().task == GDBENCH_TASK_UPDATE    ? descriptor.create_update(setup)
                    : training.problem().task == GDBENCH_TASK_FORWARD ? descriptor.create_forward(setup)
                                                                      : descriptor.create(setup);
    strategy->set_state(training.state());
    return strategy;
  }

  // Why it does not start, which is that something is unsupported; empty where it does.
  static std::string refusal(const StrategyDescriptor& descriptor, const TrainingCase& values, const Options& options) {
    TrainingProblem training(with_dtype(values));
    try {
      start(descriptor, training, options);
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      return failure.what();
    }
    return "";
  }

  // The parameters after `steps` steps in two calls.
  static std::vector<Dense> trained(const StrategyDescriptor& descriptor, const TrainingCase& values,
                                    std::uint64_t steps, const Options& options = {}) {
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(descriptor, training, options);
    strategy->run(1);
    strategy->run(steps - 1);
    strategy->sync();
    strategy->get_state(training.state());
    EXPECT_EQ(training.state().step, static_cast<std::int64_t>(steps));
    return training.state_values();
  }

  // It is where the reference is after `steps` steps.
  static void expect_trained(TrainingProblem& training, Strategy& strategy, std::int64_t steps) {
    strategy.get_state(training.state());
    EXPECT_EQ(training.state().step, steps);
    expect_near(training.state_values(), training.trained(steps), tolerance());
  }

  // In so many steps.
  static std::uint64_t allocations(Strategy& strategy, std::uint64_t steps) {
    const std::uint64_t before = allocation_count();
    strategy.run(steps);
    strategy.sync();
    return allocation_count() - before;
  }

  static Records profiled(Strategy& strategy, std::uint64_t steps) { return said_by(strategy, steps).records; }

  static double tolerance() { return GetParam().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11; }
  static std::string name_of(const StrategyDescriptor& descriptor) {
    return std::string(descriptor.name) + descriptor.policy;
  }
};

}  // namespace gdbench::strategies
