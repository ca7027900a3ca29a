#include "reports/document/scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gdbench::document {
namespace {

TEST(ScaleTest, PutsValuesBetweenItsEnds) {
  const Scale linear = Scale::linear(0, 10, 100, 200);
  EXPECT_DOUBLE_EQ(linear.at(0), 100);
  EXPECT_DOUBLE_EQ(linear.at(5), 150);
  EXPECT_DOUBLE_EQ(linear.at(99), 200);
  const Scale logarithmic = Scale::logarithmic(1, 100, 50, 0);
  EXPECT_DOUBLE_EQ(logarithmic.at(1), 50);
  EXPECT_DOUBLE_EQ(logarithmic.at(10), 25);
  EXPECT_DOUBLE_EQ(logarithmic.at(0.001), 50);
}

TEST(ScaleTest, AScaleOfOneValueHasItInTheMiddle) {
  EXPECT_DOUBLE_EQ(Scale::logarithmic(7, 7, 0, 10).at(7), 5);
  EXPECT_EQ(Scale::logarithmic(7, 7, 0, 10).ticks(5), std::vector<double>{7});
}

TEST(ScaleTest, TicksAreRoundAndFew) {
  EXPECT_EQ(Scale::linear(0, 10, 0, 1).ticks(5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(Scale::logarithmic(1, 10, 0, 1).ticks(5), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(Scale::logarithmic(1, 1000, 0, 1).ticks(5), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(Scale::logarithmic(1, 1e8, 0, 1).ticks(5), (std::vector<double>{1, 1e2, 1e4, 1e6, 1e8}));
}

TEST(ScaleTest, ANarrowLogarithmicScaleHasTicks) {
  const std::vector<double> ticks = Scale::logarithmic(21, 39, 0, 1).ticks(5);
  ASSERT_GE(ticks.size(), 2U);
  for (const double tick : ticks) {
    EXPECT_GE(tick, 21);
    EXPECT_LE(tick, 39);
  }
}

TEST(ExtentTest, IgnoresWhatIsNotFinite) {
  Extent extent;
  extent.add(std::nan(""));
  EXPECT_TRUE(extent.empty);
  extent.add(2);
  extent.add(std::numeric_limits<double>::infinity());
  extent.add_positive(-1);
  extent.add_positive(5);
  EXPECT_EQ(extent.low, 2);
  EXPECT_EQ(extent.high, 5);
}

}  // namespace
}  // namespace gdbench::document
