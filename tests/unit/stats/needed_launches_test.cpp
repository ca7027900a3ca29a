#include <gtest/gtest.h>

#include <cmath>

#include "harness/stats/estimate.h"

namespace gdbench::stats {
namespace {

TEST(NeededLaunches, GrowWithTheSquareOfWhatTheIntervalIsTooWide) {
  const auto estimate = [](double value, double low, double high) { return Estimate{value, {low, high}, 10, false}; };
  const Interval min_two = {2, 1e9};
  // The interval reaches three times as far as the limit lies.
  const int launches = needed_launches(estimate(2.1, 2.1 * std::pow(2 / 2.1, 3), 2.4), min_two, 3);
  EXPECT_NEAR(launches, 90, 1);
  EXPECT_EQ(needed_launches(estimate(2, 1.5, 2.5), min_two, 3), 0) << "at the limit";
  EXPECT_EQ(needed_launches({2.1, {2.1, 2.1}, 1, true}, min_two, 3), 3);
  EXPECT_EQ(needed_launches({}, min_two, 3), 3);
}

}  // namespace
}  // namespace gdbench::stats
