#include <gtest/gtest.h>

#include <random>

#include "harness/stats/estimate.h"

namespace gdbench::stats {
namespace {

// Pairs of `launches` launches whose ratios scatter around `ratio` by a few per cent.
std::vector<Pair> pairs_around(double ratio, int launches, std::mt19937_64& generator) {
  std::vector<Pair> pairs;
  for (int launch = 0; launch < launches; ++launch) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) normal += static_cast<double>(generator() >> 11) * 0x1p-53;
    pairs.push_back({launch, 1, ratio * (1 + 0.03 * normal)});
  }
  return pairs;
}

std::vector<Comparison> compare_all(const std::vector<std::vector<Pair>>& members, double margin) {
  return compare_family(members.size(), 0.99, [&](std::size_t i, double confidence) {
    return compare(members[i], {.margin = margin, .confidence = confidence});
  });
}

TEST(Family, FindsWhatIsSlowerAmongMany) {
  std::mt19937_64 generator(3);
  std::vector<std::vector<Pair>> members(25);
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = pairs_around(i == 7 ? 1.10 : 1, 40, generator);
  const std::vector<Comparison> comparisons = compare_all(members, 0.01);
  EXPECT_EQ(comparisons[7].verdict, Verdict::slower);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == 7) continue;
    EXPECT_NE(comparisons[i].verdict, Verdict::slower) << i;
    EXPECT_NE(comparisons[i].verdict, Verdict::faster) << i;
  }
}

TEST(Family, EachByItselfWouldAlarmMoreOften) {
  std::mt19937_64 generator(5);
  int alone = 0;
  int together = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<std::vector<Pair>> members;
    for (int i = 0; i < 20; ++i) members.push_back(pairs_around(1, 12, generator));
    bool any_alone = false;
    bool any_together = false;
    for (const std::vector<Pair>& pairs : members) {
      const Verdict verdict = compare(pairs, {.margin = 0, .confidence = 0.99}).verdict;
      any_alone = any_alone || verdict == Verdict::faster || verdict == Verdict::slower;
    }
    for (const Comparison& comparison : compare_all(members, 0)) {
      any_together = any_together || comparison.verdict == Verdict::faster || comparison.verdict == Verdict::slower;
    }
    alone += any_alone ? 1 : 0;
    together += any_together ? 1 : 0;
  }
  EXPECT_GT(alone, 20);
  EXPECT_LE(together, 12) << "1% of 400, and some for chance";
}

TEST(Family, WhatIsOnlySureByItselfIsInconclusive) {
  std::vector<Pair> clear;
  for (int launch = 0; launch < 8; ++launch) clear.push_back({launch, 1, 1.5 + 0.01 * launch});
  const Comparison alone = compare(clear, {.confidence = 0.99});
  EXPECT_EQ(alone.verdict, Verdict::slower);
  // Student's interval at the family's confidence is too wide for so few launches that scatter so.
  std::vector<std::vector<Pair>> members(2000);
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (int launch = 0; launch < 8; ++launch) members[i].push_back({launch, 1, launch % 2 == 0 ? 1.02 : 3.0});
  }
  for (const Comparison& comparison : compare_all(members, 0.01)) {
    EXPECT_EQ(comparison.verdict, Verdict::inconclusive);
    EXPECT_EQ(comparison.remark, "beyond the margin by itself, but not sure enough among 2000 cells");
  }
}

TEST(Family, IsJudgedByHolmsSteps) {
  // Of four members one is told apart at once, another only where three are left: at 1 - 0.01/3.
  std::vector<double> confidences;
  const std::vector<Comparison> comparisons = compare_family(4, 0.99, [&](std::size_t i, double confidence) {
    confidences.push_back(confidence);
    const bool apart = i == 1 || (i == 2 && confidence < 1 - 0.01 / 3.5);
    return Comparison{{}, apart ? Verdict::slower : Verdict::equivalent, ""};
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
            (std::vector<Verdict>{Verdict::equivalent, Verdict::slower, Verdict::slower, Verdict::equivalent}));
}

TEST(Family, FasterIsToldApartAsSlowerIs) {
  const std::vector<Comparison> comparisons = compare_family(2, 0.99, [](std::size_t i, double) -> Comparison {
    return {{}, i == 0 ? Verdict::faster : Verdict::inconclusive, i == 0 ? "" : "its own"};
  });
  EXPECT_EQ(comparisons[0].verdict, Verdict::faster);
  EXPECT_EQ(comparisons[1].verdict, Verdict::inconclusive);
  EXPECT_EQ(comparisons[1].remark, "its own");
}

TEST(Family, NoMembersNoComparisons) { EXPECT_TRUE(compare_all({}, 0.01).empty()); }

}  // namespace
}  // namespace gdbench::stats
