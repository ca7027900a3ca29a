#include "harness/stats/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/stats/estimate.h"

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

TEST(ProportionLimits, AreClopperAndPearsons) {
  // Of none in 300, the upper one is 1 - 0.05^(1/300): the rule of three, 1%.
  EXPECT_NEAR(proportion_upper_limit(0, 300, 0.95), 0.009936, 1e-6);
  EXPECT_EQ(proportion_lower_limit(0, 300, 0.95), 0);
  EXPECT_EQ(proportion_upper_limit(60, 60, 0.95), 1);
  EXPECT_NEAR(proportion_lower_limit(60, 60, 0.95), 0.951, 1e-3);
  EXPECT_LT(proportion_lower_limit(30, 60, 0.95), 0.5);
  EXPECT_GT(proportion_upper_limit(30, 60, 0.95), 0.5);
}

TEST(Family, IsJudgedByHolmsSteps) {
  // Of four members one is distinguished at once, another only where three are left: at 1 - 0.01/3. The first one is
  // sure by itself alone.
  std::vector<double> confidences;
  const std::vector<Comparison> comparisons = compare_family(4, 0.99, [&](std::size_t i, double confidence) {
    confidences.push_back(confidence);
    if (i == 1) return Comparison{{}, Verdict::slower, ""};
    if (i == 2 && confidence < 1 - 0.01 / 3.5) return Comparison{{}, Verdict::faster, ""};
    if (i == 0 && confidence <= 0.99) return Comparison{{}, Verdict::slower, ""};
    return Comparison{{}, Verdict::equivalent, "its own"};
  });
  const double four = 1 - 0.01 / 4;
  const double three = 1 - 0.01 / 3;
  const double two = 1 - 0.01 / 2;
  const std::vector<double> expected = {four, four, four, four, three, three, three, two, two, 0.99, 0.99};
  ASSERT_EQ(confidences.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(confidences[i], expected[i], 1e-12) << i;
  std::vector<Verdict> verdicts;
  for (const Comparison& comparison : comparisons) verdicts.push_back(comparison.verdict);
  EXPECT_EQ(verdicts,
            (std::vector<Verdict>{Verdict::inconclusive, Verdict::slower, Verdict::faster, Verdict::equivalent}));
  EXPECT_EQ(comparisons[0].remark, "beyond the margin by itself, but not sure enough among 4 cells");
  EXPECT_EQ(comparisons[3].remark, "its own");
}

// One member more is distinguished in each step, of which there are ten at most; the last one is sure by itself.
TEST(Family, StepsAreLimited) {
  const std::vector<Comparison> comparisons = compare_family(12, 0.99, [&](std::size_t i, double confidence) {
    const auto left = static_cast<std::size_t>(std::lround(0.01 / (1 - confidence)));
    return Comparison{{}, i == 12 - left ? Verdict::slower : Verdict::equivalent, ""};
  });
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(comparisons[i].verdict, Verdict::slower) << i;
  EXPECT_EQ(comparisons[10].verdict, Verdict::equivalent);
  EXPECT_EQ(comparisons[11].verdict, Verdict::inconclusive);
}

// They grow with the square of what the interval is too wide.
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
  EXPECT_EQ(needed_launches({2, {1.5, 2.5}, 10, false}, {2, 1e9}, 3), 0) << "at the limit";
  EXPECT_EQ(needed_launches({2.1, {2.1, 2.1}, 1, true}, {2, 1e9}, 3), 3);
  EXPECT_EQ(needed_launches({}, {2, 1e9}, 3), 3);
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
