// The plugin of examples/plugin-c, built out of tree by the test before this one, trains what it says it trains.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fakes/plugin_driver.h"

namespace gdbench::fakes {
namespace {

constexpr char kPlugin[] = GDBENCH_EXAMPLE_PLUGIN;

void expect_trains_correctly(const Regression& regression, std::uint64_t steps) {
  const LoadedPlugin plugin(kPlugin);
  ASSERT_TRUE(plugin.has_entry()) << plugin.load_error();
  Instance<float> instance(plugin.implementation(), regression);
  ASSERT_EQ(instance.prepare_status(), GDBENCH_OK) << plugin.reported_error();
  ASSERT_EQ(instance.run(steps), GDBENCH_OK);
  std::int64_t step = 0;
  const std::vector<double> actual = instance.parameters(&step);
  const std::vector<double> expected = expected_parameters(regression, steps);
  EXPECT_EQ(step, static_cast<std::int64_t>(steps));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) EXPECT_NEAR(actual[k], expected[k], 2e-6) << "parameter " << k;
}

TEST(ExamplePlugin, DeclaresItself) {
  const LoadedPlugin plugin(kPlugin);
  ASSERT_TRUE(plugin.has_entry()) << plugin.load_error();
  EXPECT_EQ(plugin.plugin()->abi_major, static_cast<std::uint32_t>(GDBENCH_ABI_MAJOR));
  EXPECT_EQ(plugin.implementation().id, std::string("example/plain-c"));
}

TEST(ExamplePlugin, TrainsFullBatch) { expect_trains_correctly(make_regression(3, 2, 3, false), 20); }

TEST(ExamplePlugin, TrainsWithBiasAndHalfMse) {
  Regression regression = make_regression(17, 5, 17, true);
  regression.loss = GDBENCH_HALF_MSE;
  expect_trains_correctly(regression, 30);
}

TEST(ExamplePlugin, FollowsTheOrderOfMiniBatches) { expect_trains_correctly(make_regression(17, 3, 5, true), 11); }

TEST(ExamplePlugin, EvaluatesTheMeanSquaredError) {
  // Residuals of w = (1), b = 0 on x = (1, 2), y = (0, 4): 1 and -2.
  Regression regression = make_regression(2, 1, 2, true);
  regression.x = {1, 2};
  regression.y = {0, 4};
  regression.initial = {1, 0};
  const LoadedPlugin plugin(kPlugin);
  double loss = 0;
  ASSERT_EQ(Instance<float>(plugin.implementation(), regression).evaluate(&loss), GDBENCH_OK);
  EXPECT_DOUBLE_EQ(loss, 2.5);
  regression.loss = GDBENCH_HALF_MSE;
  ASSERT_EQ(Instance<float>(plugin.implementation(), regression).evaluate(&loss), GDBENCH_OK);
  EXPECT_DOUBLE_EQ(loss, 1.25);
}

}  // namespace
}  // namespace gdbench::fakes
