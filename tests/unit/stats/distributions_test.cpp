#include "harness/stats/distributions.h"

#include <gtest/gtest.h>

namespace gdbench::stats {
namespace {

TEST(MedianRank, IsThatOfTheSignTestsTables) {
  // E.g. W. J. Conover, Practical Nonparametric Statistics: binomial with p = 1/2.
  EXPECT_EQ(median_rank(5, 0.95), 0) << "2 / 2^5 is more than 5%";
  EXPECT_EQ(median_rank(6, 0.95), 1);
  EXPECT_EQ(median_rank(9, 0.95), 2);
  EXPECT_EQ(median_rank(20, 0.95), 6);
  EXPECT_EQ(median_rank(20, 0.99), 4);
  EXPECT_EQ(median_rank(40, 0.99), 12);
  EXPECT_EQ(median_rank(7, 0.99), 0);
  EXPECT_EQ(median_rank(8, 0.99), 1);
  EXPECT_EQ(median_rank(1, 0.95), 0);
}

TEST(MedianRank, NeverCrossesTheMiddle) {
  for (const double confidence : {0.0, 0.01}) {
    for (int count = 1; count < 60; ++count) EXPECT_LE(2 * median_rank(count, confidence), count) << count;
  }
}

TEST(StudentQuantile, IsThatOfTheTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.303, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776, 1e-3);
  EXPECT_NEAR(student_quantile(0.995, 4), 4.604, 1e-3);
}

TEST(ProportionLimits, AreClopperAndPearsons) {
  // Of none in 300, the upper one is 1 - 0.05^(1/300): the rule of three, 1%.
  EXPECT_NEAR(proportion_upper_limit(0, 300, 0.95), 0.009936, 1e-6);
  EXPECT_EQ(proportion_lower_limit(0, 300, 0.95), 0);
  EXPECT_EQ(proportion_upper_limit(60, 60, 0.95), 1);
  EXPECT_NEAR(proportion_lower_limit(60, 60, 0.95), 0.951, 1e-3);
  EXPECT_LT(proportion_lower_limit(30, 60, 0.95), 0.5);
  EXPECT_GT(proportion_upper_limit(30, 60, 0.95), 0.5);
}

}  // namespace
}  // namespace gdbench::stats
