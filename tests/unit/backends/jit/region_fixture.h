// What tests of regions that are compiled have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "implementations/strategies/graph/graph.h"
#include "tests/support/implementations/trained_by_jit.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {

// By the type of numbers.
class JitRegionFixture : public testing::TestWithParam<catalogue::Dtype> {
 protected:
  // The tolerance is relative where entries are larger than 1.
  static void check(TrainingCase values, std::int64_t steps, double tolerance_f32 = 2e-4,
                    const JitOptions& options = {}, const StrategyDescriptor& descriptor = graph::kRegionDescriptor,
                    int threads = 1) {
    values.dtype = GetParam();
    TrainingProblem training(values);
    const double trained_loss = trained_by_jit(training, steps, options, threads, descriptor);
    const double tolerance = GetParam() == catalogue::Dtype::f32 ? tolerance_f32 : 1e-10;
    const std::vector<Dense> actual = training.state_values();
    const std::vector<Dense> expected = training.trained(steps);
    // What diverges has no digits to compare.
    if (!(training.loss(expected, 0) < 1e6)) return;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t entry = 0; entry < expected[i].values.size(); ++entry) {
        const double wanted = expected[i].values[entry];
        ASSERT_NEAR(actual[i].values[entry], wanted, tolerance * std::max(1.0, std::abs(wanted)))
            << "parameter " << i << " entry " << entry;
      }
    }
    const double loss = training.loss(expected, 0);
    EXPECT_NEAR(trained_loss, loss, tolerance * std::max(1.0, loss));
  }
};

}  // namespace gdbench::strategies
