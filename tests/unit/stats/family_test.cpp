#include <gtest/gtest.h>

#include <cmath>

#include "harness/stats/estimate.h"

namespace gdbench::stats {
namespace {

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

}  // namespace
}  // namespace gdbench::stats
