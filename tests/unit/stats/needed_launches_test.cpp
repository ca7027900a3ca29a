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

TEST(NeededLaunches, EachLimitThatLiesInTheIntervalCounts) {
  const Interval range = {0.5, 2};
  // The value is level; by logarithms the interval reaches twice as far as the limits lie, or three times as far.
  EXPECT_NEAR(needed_launches({1, {1.0 / 4, 1.5}, 10, false}, range, 3), 40, 1);
  EXPECT_NEAR(needed_launches({1, {1 / 1.5, 4}, 10, false}, range, 3), 40, 1);
  EXPECT_NEAR(needed_launches({1, {1.0 / 4, 8}, 10, false}, range, 3), 90, 1);
  EXPECT_NEAR(needed_launches({1, {1.0 / 8, 4}, 10, false}, range, 3), 90, 1);
}

TEST(NeededLaunches, AreAtLeastWhatAVerdictNeedsAndNotMoreThanIsWorthATry) {
  const Interval range = {0.5, 2};
  EXPECT_EQ(needed_launches({1, {0.9, 1.1}, 10, false}, range, 3), 3) << "no limit lies in the interval";
  EXPECT_EQ(needed_launches({1, {0.5, 2}, 10, false}, range, 3), 3) << "nor do its ends";
  EXPECT_EQ(needed_launches({1, {0.9, 2.0000001}, 10, false}, range, 3), 11) << "one more at least";
  EXPECT_EQ(needed_launches({1, {0.9, std::nextafter(1e6, 1e7)}, 10, false}, {0.5, 1e6}, 3), 11)
      << "though their logarithms are the same";
  EXPECT_EQ(needed_launches({1, {0.9, 4}, 10, false}, range, 60), 60);
  EXPECT_NEAR(needed_launches({1, {0.9, std::pow(2, 9.9)}, 10, false}, range, 3), 981, 1);
  EXPECT_EQ(needed_launches({1, {0.9, std::pow(2, 10.1)}, 10, false}, range, 3), 0);
}

}  // namespace
}  // namespace gdbench::stats
