// Estimates from launches and their intervals, at one look and at every look, and what is decided by them.
#include "harness/stats/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/stats/sequential.h"

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

// Student's interval of the logarithms -1, 0 and 1: mean 0, standard error 1/sqrt(3); t of 2 degrees of freedom
// at 97.5% is 4.30265 (any table). Order statistics of 9: 1 - 2 * 10/512 >= 95%, 1 - 2 * 46/512 is not.
TEST(TypicalTimeTest, IsTheMedianOfTheLeastValuesOfLaunches) {
  const double reach = std::exp(4.30265 / std::sqrt(3));
  const struct {
    const char* name;
    std::vector<Observation> observations;
    Estimate expected;
  } rows[] = {
      {"nothing measured", {}, {0, {0, 0}, 0, false}},
      {"one interrupted in all blocks but one, one of more blocks",
       {{1, 10}, {1, 11}, {2, 90}, {2, 12}, {3, 14}, {3, 15}, {3, 16}, {3, 17}},
       {12, {}, 3, false, IntervalMethod::student}},
      {"a single launch",
       {{4, 1}, {4, 2}, {4, 3}, {4, 4}, {4, 5}, {4, 10}},
       {3.5, {1, 10}, 1, true, IntervalMethod::order_statistics}},
      {"equal values: nothing to estimate", {{0, 2}, {1, 2}, {2, 2}}, {2, {2, 2}, 3, false}},
      {"few",
       {{1, std::exp(-1.0)}, {2, 1}, {3, std::exp(1.0)}},
       {1, {1 / reach, reach}, 3, false, IntervalMethod::student}},
      {"five", counted(1, 5), {3, {}, 5, false, IntervalMethod::student}},
      {"six", counted(1, 6), {3.5, {1, 6}, 6, false, IntervalMethod::order_statistics}},
      {"nine", counted(1, 9), {5, {2, 8}, 9, false, IntervalMethod::order_statistics}},
  };
  for (const auto& [name, observations, expected] : rows) {
    SCOPED_TRACE(name);
    const Estimate found = typical_time(observations);
    EXPECT_DOUBLE_EQ(found.value, expected.value);
    EXPECT_EQ(found.launches, expected.launches);
    EXPECT_EQ(found.within_one_process, expected.within_one_process);
    EXPECT_EQ(found.method, expected.method);
    if (expected.interval.high == 0) continue;
    const double tolerance = expected.method == IntervalMethod::student ? 1e-4 : 0;
    EXPECT_NEAR(found.interval.low, expected.interval.low, tolerance * expected.interval.low);
    EXPECT_NEAR(found.interval.high, expected.interval.high, tolerance * expected.interval.high);
  }
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
      {1.00, 0.100, 10, Verdict::inconclusive, "the interval from "},
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

// How far ratios of launches are off, in logarithms.
const std::vector<double> kDistances = {0.001, 0.3, 0.02, 0.015, 0.0004, 0.05, 0.011, 0.7, 0.023, 0.009, 0.04, 0.002};
const std::size_t kPatterns = std::size_t{1} << kDistances.size();

std::vector<double> with_signs(std::size_t pattern, std::size_t count) {
  std::vector<double> values(kDistances.begin(), kDistances.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) values[i] *= (pattern >> i & 1) == 0 ? 1 : -1;
  return values;
}

// Exact, as all patterns of signs are as likely where values scatter symmetrically about 0.
TEST(Sequential, EvidenceIsOneOnAverageAndSeldomMoreAtAnyLook) {
  double sum = 0;
  std::size_t reached = 0;
  for (std::size_t pattern = 0; pattern < kPatterns; ++pattern) {
    sum += evidence_above(with_signs(pattern, kDistances.size()), 0);
    bool ever = false;
    for (std::size_t count = 1; count <= kDistances.size(); ++count) {
      ever = ever || evidence_above(with_signs(pattern, count), 0) >= 20;
    }
    reached += ever ? 1 : 0;
  }
  const auto patterns = static_cast<double>(kPatterns);
  EXPECT_NEAR(sum / patterns, 1, 1e-12);
  EXPECT_LE(static_cast<double>(reached) / patterns, 1.0 / 20);
  EXPECT_GT(static_cast<double>(reached) / patterns, 0.01) << "or it would take more launches than it need";
}

TEST(Sequential, AnIntervalLeavesOutWhatThereIsEnoughEvidenceAgainst) {
  const std::vector<double> values = with_signs(0b010010100101, kDistances.size());
  const Interval interval = interval_at_every_look(values, 0.9).value();
  EXPECT_NEAR(evidence_above(values, interval.low), 20, 1e-3);
  std::vector<double> mirrored;
  for (const double value : values) mirrored.push_back(-value);
  EXPECT_NEAR(evidence_above(mirrored, -interval.high), 20, 1e-3);
  EXPECT_LT(interval.low, interval.high);
  const Interval turned = interval_at_every_look(mirrored, 0.9).value();
  EXPECT_NEAR(turned.low, -interval.high, 1e-9) << "swapping the sides turns it over";
  std::vector<double> shifted;
  for (const double value : values) shifted.push_back(value + 0.25);
  EXPECT_NEAR(interval_at_every_look(shifted, 0.9)->low, interval.low + 0.25, 1e-9);
}

TEST(Sequential, ALaunchFarFromAllOthersMovesNoEndToItself) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(0.05 + 0.001 * (i % 7 - 3));
  const Interval interval = interval_at_every_look(values, 0.99).value();
  EXPECT_GT(interval.low, 0.045);
  EXPECT_LT(interval.high, 0.055);
  values.push_back(-3);
  EXPECT_GT(interval_at_every_look(values, 0.99)->low, 0.045);
}

TEST(Sequential, SoManyLaunchesCanDecide) {
  EXPECT_EQ(min_launches(0.95, Looks::every), 7);
  EXPECT_EQ(min_launches(0.99, Looks::every), 10);
  for (const double confidence : {0.95, 0.99, 1 - 0.01 / 60}) {
    const auto enough = static_cast<std::size_t>(min_launches(confidence, Looks::every));
    EXPECT_FALSE(interval_at_every_look(std::vector<double>(enough - 1, 0.5), confidence));
    EXPECT_GT(interval_at_every_look(std::vector<double>(enough, 0.5), confidence)->low, 0.0);
  }
}

TEST(Sequential, APairedRatioHasItsInterval) {
  std::vector<Pair> pairs;
  for (int launch = 0; launch < 12; ++launch) pairs.push_back({launch, 100, 150.0 + launch % 3});
  const Estimate ratio = paired_ratio(pairs, 0.99, Looks::every);
  EXPECT_EQ(ratio.method, IntervalMethod::every_look);
  EXPECT_DOUBLE_EQ(ratio.value, 1.51);
  EXPECT_GT(ratio.interval.low, 1.4);
  EXPECT_LT(ratio.interval.high, 1.6);
  const Estimate few = paired_ratio(std::span(pairs).first(5), 0.99, Looks::every);
  EXPECT_EQ(few.method, IntervalMethod::student);
  const VerdictOptions options{.confidence = 0.99, .minimum_launches = 10, .looks = Looks::every};
  EXPECT_EQ(compare(pairs, options).verdict, Verdict::slower);
  VerdictOptions wide = options;
  wide.margin = 0.505;
  const Comparison open = compare(pairs, wide);
  EXPECT_TRUE(open.remark.ends_with("% would have been decided")) << open.remark;
  EXPECT_NE(open.remark.find("; about "), std::string::npos) << open.remark;
  wide.margin = std::ceil(1000 * (open.ratio.interval.high - 1)) / 1000;
  EXPECT_EQ(compare(pairs, wide).verdict, Verdict::equivalent) << wide.margin;
}

}  // namespace
}  // namespace gdbench::stats
