#include "harness/stats/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gdbench::stats {
namespace {

// Pairs of launches whose ratios lie within +-`scatter` (a share) of `ratio`, in a fixed pattern.
std::vector<Pair> pairs_around(double ratio, double scatter, int launches) {
  std::vector<Pair> pairs;
  for (int launch = 0; launch < launches; ++launch) {
    const double shift = 1 + scatter * (launch % 5 - 2) / 2;
    for (int round = 0; round < 5; ++round) pairs.push_back({launch, 10.0 + round, (10.0 + round) * ratio * shift});
  }
  return pairs;
}

std::vector<Observation> counted(double first, int launches) {
  std::vector<Observation> observations;
  for (int launch = 0; launch < launches; ++launch) observations.push_back({launch, first + launch});
  return observations;
}

void expect_interval(const Estimate& estimate, double low, double high) {
  EXPECT_NEAR(estimate.interval.low, low, 1e-4 * std::abs(low));
  EXPECT_NEAR(estimate.interval.high, high, 1e-4 * std::abs(high));
}

TEST(MedianTest, KnownValues) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_absolute_deviation({}), 0);
  EXPECT_EQ(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}), 1);
}

TEST(TypicalTimeTest, NothingMeasured) {
  const Estimate estimate = typical_time({});
  EXPECT_EQ(estimate.value, 0);
  EXPECT_EQ(estimate.launches, 0);
  EXPECT_FALSE(estimate.within_one_process);
  EXPECT_FALSE(estimate.method);
}

TEST(TypicalTimeTest, ALaunchCountsOnceByItsLeastValue) {
  // The second launch was interrupted in all blocks but one, the third has more blocks than the others.
  const std::vector<Observation> observations = {{1, 10}, {1, 11}, {2, 90}, {2, 12},
                                                 {3, 14}, {3, 15}, {3, 16}, {3, 17}};
  const Estimate estimate = typical_time(observations);
  EXPECT_EQ(estimate.value, 12);
  EXPECT_EQ(estimate.launches, 3);
}

TEST(TypicalTimeTest, SingleLaunchSaysSo) {
  const std::vector<Observation> observations = {{4, 1}, {4, 2}, {4, 3}, {4, 4}, {4, 5}, {4, 10}};
  const Estimate estimate = typical_time(observations);
  EXPECT_EQ(estimate.value, 3.5);
  EXPECT_EQ(estimate.launches, 1);
  EXPECT_TRUE(estimate.within_one_process);
  EXPECT_EQ(estimate.interval.low, 1);
  EXPECT_EQ(estimate.interval.high, 10);
}

TEST(TypicalTimeTest, EqualValuesHaveAnEmptyInterval) {
  const Estimate estimate = typical_time(std::vector<Observation>{{0, 2}, {1, 2}, {2, 2}});
  expect_interval(estimate, 2, 2);
  EXPECT_EQ(estimate.launches, 3);
  EXPECT_FALSE(estimate.method) << "there is nothing to estimate";
}

TEST(TypicalTimeTest, FromSixLaunchesOnTheIntervalIsThatOfOrderStatistics) {
  std::vector<Observation> observations = counted(1, 9);
  const Estimate estimate = typical_time(observations);
  EXPECT_EQ(estimate.method, IntervalMethod::order_statistics);
  EXPECT_EQ(estimate.value, 5);
  EXPECT_EQ(estimate.interval.low, 2) << "1 - 2 * 10/512 >= 95%, 1 - 2 * 46/512 is not";
  EXPECT_EQ(estimate.interval.high, 8);
  observations.resize(6);
  EXPECT_EQ(typical_time(observations).method, IntervalMethod::order_statistics);
  observations.resize(5);
  EXPECT_EQ(typical_time(observations).method, IntervalMethod::student);
}

TEST(TypicalTimeTest, FewLaunchesHaveStudentsInterval) {
  // Logarithms -1, 0, 1: mean 0, standard error 1/sqrt(3); t of 2 degrees of freedom at 97.5% is 4.30265 (any table).
  const std::vector<Observation> observations = {{1, std::exp(-1.0)}, {2, 1}, {3, std::exp(1.0)}};
  const Estimate estimate = typical_time(observations);
  EXPECT_EQ(estimate.method, IntervalMethod::student);
  expect_interval(estimate, std::exp(-4.30265 / std::sqrt(3)), std::exp(4.30265 / std::sqrt(3)));
}

TEST(PairedRatioTest, KnownRatio) {
  const std::vector<Pair> pairs = {{0, 1, 2}, {1, 10, 20}, {2, 3, 9}};
  const Estimate estimate = paired_ratio(pairs);
  EXPECT_DOUBLE_EQ(estimate.value, 2);
  EXPECT_EQ(estimate.launches, 3);
  // Student's, of the logarithms of 2, 2 and 3: mean log(12)/3, standard error log(1.5)/3, t 4.30265.
  expect_interval(estimate, std::exp((std::log(12) - 4.30265 * std::log(1.5)) / 3),
                  std::exp((std::log(12) + 4.30265 * std::log(1.5)) / 3));
}

TEST(PairedRatioTest, BetweenTwoLaunchesIsTheirGeometricMean) {
  EXPECT_DOUBLE_EQ(paired_ratio(std::vector<Pair>{{0, 1, 2}, {1, 1, 8}}).value, 4);
  for (double ratio = 1; ratio < 2; ratio += 0.01) {
    const std::vector<Pair> pairs = {{0, 1, 0.5}, {1, 1, ratio}, {2, 1, ratio}, {3, 1, 3}};
    EXPECT_EQ(paired_ratio(pairs).value, ratio) << "of two equal ones it is that very one";
  }
}

TEST(UnpairedTest, HoldsWhereBothTimesDo) {
  std::vector<Observation> base = counted(10, 9);
  const std::vector<Observation> candidate = counted(20, 12);
  // Each at 95%: launches 2 to 8 of 9 and 3 to 10 of 12 (sign test), which are 11 to 17 and 22 to 29.
  const Estimate ratio = unpaired_ratio(base, candidate, 0.90);
  EXPECT_DOUBLE_EQ(ratio.value, 25.5 / 14);
  expect_interval(ratio, 22.0 / 17, 29.0 / 11);
  EXPECT_EQ(ratio.launches, 9);
  EXPECT_FALSE(ratio.within_one_process);
  EXPECT_EQ(ratio.method, IntervalMethod::order_statistics);
  const Estimate difference = unpaired_difference(base, candidate, 0.90);
  EXPECT_DOUBLE_EQ(difference.value, 25.5 - 14);
  expect_interval(difference, 22 - 17, 29 - 11);
  EXPECT_EQ(unpaired_difference(base, {}).launches, 0);
  base.resize(5);
  EXPECT_EQ(unpaired_ratio(base, candidate).launches, 5);
  EXPECT_EQ(unpaired_ratio(base, candidate).method, IntervalMethod::student) << "that of the side with fewer launches";
  EXPECT_EQ(unpaired_ratio(candidate, base).method, IntervalMethod::student);
}

TEST(UnpairedRatioTest, OneProcessOnEitherSideSaysNothingOfOthers) {
  const std::vector<Observation> one = {{1, 10}, {1, 11}, {1, 12}};
  const std::vector<Observation> three = {{1, 10}, {2, 11}, {3, 12}};
  EXPECT_TRUE(unpaired_ratio(one, three).within_one_process);
  EXPECT_TRUE(unpaired_ratio(three, one).within_one_process);
  EXPECT_EQ(unpaired_ratio({}, three).launches, 0);
  EXPECT_EQ(unpaired_ratio(three, {}).launches, 0);
  EXPECT_EQ(compare_unpaired(three, {}, {}).remark, "no launch has times of both");
  EXPECT_EQ(compare_unpaired(one, three, {}).remark, "measured within one process: says nothing about other launches");
}

TEST(PairedDifferenceTest, KnownDifference) {
  const std::vector<Pair> pairs = {{0, 1, 3}, {1, 10, 12}, {2, 3, 9}};
  const Estimate estimate = paired_difference(pairs);
  EXPECT_DOUBLE_EQ(estimate.value, 2);
  EXPECT_EQ(estimate.launches, 3);
  // Student's, of 2, 2 and 6: mean 10/3, standard error 4/3.
  expect_interval(estimate, (10 - 4 * 4.30265) / 3, (10 + 4 * 4.30265) / 3);
  EXPECT_EQ(paired_difference({}).launches, 0);
}

TEST(CompareTest, VerdictTable) {
  struct Row {
    double ratio;
    double scatter;
    int launches;
    Verdict verdict;
    const char* remark;  // beginning
  };
  const Row rows[] = {
      {0.80, 0.005, 10, Verdict::faster, ""},
      {1.25, 0.005, 10, Verdict::slower, ""},
      {1.00, 0.001, 10, Verdict::equivalent, ""},
      {1.00, 0.100, 10, Verdict::inconclusive, "the interval from "},
      {1.02, 0.010, 10, Verdict::inconclusive, "the interval from "},
      {0.50, 0.001, 2, Verdict::inconclusive, "2 launches, at least 3 are needed"},
      {0.50, 0.001, 1, Verdict::inconclusive, "measured within one process"},
      {0.50, 0.001, 0, Verdict::inconclusive, "no launch has times of both"},
      {0.50, 0.001, 3, Verdict::faster, ""},
  };
  for (const Row& row : rows) {
    const Comparison result = compare(pairs_around(row.ratio, row.scatter, row.launches), {});
    EXPECT_EQ(result.verdict, row.verdict)
        << row.ratio << ", scatter " << row.scatter << ": " << name_of(result.verdict);
    EXPECT_EQ(result.remark.rfind(row.remark, 0), 0U) << result.remark;
    EXPECT_EQ(result.remark.empty(), result.verdict != Verdict::inconclusive) << result.remark;
  }
}

TEST(CompareTest, TheIntervalsEndsAndTheMarginDecide) {
  struct Row {
    Interval interval;
    Verdict verdict;
    const char* remark;
  };
  // With a margin of 25%: ratios from 0.8 to 1.25 do not matter.
  const Row rows[] = {
      {{0.7, 0.79}, Verdict::faster, ""},
      {{1.26, 1.5}, Verdict::slower, ""},
      {{0.8, 1.25}, Verdict::equivalent, ""},
      {{0.79, 1}, Verdict::inconclusive, "the interval from 0.790 to 1.000 reaches across the margin of 25%"},
      {{1, 1.26}, Verdict::inconclusive, "the interval from 1.000 to 1.260 reaches across the margin of 25%"},
  };
  for (const Row& row : rows) {
    for (const VerdictOptions& options :
         {VerdictOptions{.margin = 0.25, .noise_floor = 0.1}, VerdictOptions{.margin = 0.1, .noise_floor = 0.25}}) {
      const Comparison result = compare_ratio({1, row.interval, 3, false}, options);
      EXPECT_EQ(result.verdict, row.verdict) << row.interval.low;
      EXPECT_EQ(result.remark, row.remark);
      EXPECT_EQ(result.ratio.interval.high, row.interval.high);
    }
  }
}

TEST(CompareTest, WhatMakesAMachineUnfitComesAfterALackOfLaunches) {
  const VerdictOptions options{.unfit = "unfit"};
  EXPECT_EQ(compare(pairs_around(0.5, 0.001, 5), options).remark, "unfit");
  EXPECT_EQ(compare(pairs_around(0.5, 0.001, 5), options).verdict, Verdict::inconclusive);
  EXPECT_EQ(compare(pairs_around(0.5, 0.001, 2), options).remark, "2 launches, at least 3 are needed");
}

TEST(CompareTest, TimesThatAreNotPositiveGiveNoVerdict) {
  std::vector<Pair> pairs = pairs_around(0.5, 0.001, 5);
  pairs[2].candidate = 0;
  const Comparison result = compare(pairs, {});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.remark, "a pair of times is 12 and 0: not positive numbers");
  pairs[2] = {0, std::numeric_limits<double>::infinity(), 3};
  EXPECT_EQ(compare(pairs, {}).remark, "a pair of times is inf and 3: not positive numbers");
}

TEST(PositionTest, OfIntervalsToARange) {
  const Interval range = {2, 3};
  EXPECT_EQ(position_of({1, 1.9}, range), Position::below);
  EXPECT_EQ(position_of({3.1, 9}, range), Position::above);
  EXPECT_EQ(position_of({2, 3}, range), Position::within) << "the ends belong to it";
  EXPECT_EQ(position_of({1, 2}, range), Position::across);
  EXPECT_EQ(position_of({3, 4}, range), Position::across);
  EXPECT_EQ(position_of({1.9, 2.5}, range), Position::across);
  EXPECT_EQ(position_of({1, 4}, range), Position::across);
  const Interval at_least_two = {2, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(position_of({2.5, 1e9}, at_least_two), Position::within);
}

TEST(PlaceTest, NeedsLaunchesHoweverClearTheRatioIs) {
  const Interval range = {2, 3};
  EXPECT_EQ(place(paired_ratio(pairs_around(2.5, 0.01, 5)), range, {}).position, Position::within);
  EXPECT_EQ(place(paired_ratio(pairs_around(1.5, 0.01, 5)), range, {}).position, Position::below);
  const Placement few = place(paired_ratio(pairs_around(2.5, 0.01, 2)), range, {});
  EXPECT_EQ(few.position, Position::across);
  EXPECT_EQ(few.remark, "2 launches, at least 3 are needed");
  VerdictOptions counted;
  counted.minimum_launches = 1;
  EXPECT_EQ(place(paired_ratio(pairs_around(2.5, 0.01, 1)), range, counted).position, Position::within);
}

TEST(CompareTest, FewestLaunches) {
  EXPECT_EQ(min_launches(0.5), 2);
  EXPECT_EQ(min_launches(0.95), 6);
  EXPECT_EQ(min_launches(0.99), 8);
  EXPECT_EQ(min_launches(1 - 0.05 / 11), 9);
}

}  // namespace
}  // namespace gdbench::stats
