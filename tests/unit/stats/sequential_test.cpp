#include "harness/stats/sequential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gdbench::stats {
namespace {

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
