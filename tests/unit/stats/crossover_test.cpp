#include "harness/stats/crossover.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace gdbench::stats {
namespace {

// Ratio of A's time to B's at a size.
using Curve = std::function<double(double size)>;

// A falls as the fifth root of the size, and is level with B at `size`.
Curve falling_through(double level) {
  return [level](double size) { return std::pow(level / size, 0.2); };
}

// Measures a made curve: every launch is off by a factor of its own.
class Laboratory {
 public:
  Laboratory(Curve curve, double scatter, CrossoverOptions options, std::uint64_t seed = 5)
      : curve_(std::move(curve)), scatter_(scatter), options_(options), generator_(seed) {}

  Crossover search() {
    while (const auto wanted = next_size(sizes_, options_)) {
      measure(*wanted);
      if (++measurements_ > 500) break;
    }
    return find_crossover(sizes_);
  }

  void measure(const SizeToMeasure& wanted) {
    std::vector<Pair>& pairs = pairs_[wanted.size];
    for (int launch = static_cast<int>(pairs.size()); launch < wanted.launches; ++launch) {
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += static_cast<double>(generator_() >> 11) * 0x1p-53;
      pairs.push_back({launch, 1.0, curve_(static_cast<double>(wanted.size)) * std::exp(scatter_ * normal)});
    }
    VerdictOptions options;
    options.confidence = kCrossoverConfidence;
    options.minimum_launches = fewest_launches(kCrossoverConfidence);
    sizes_[wanted.size] = compare(pairs, options);
  }

  const ComparedSizes& sizes() const { return sizes_; }
  int measurements() const { return measurements_; }

 private:
  Curve curve_;
  double scatter_;
  CrossoverOptions options_;
  std::mt19937_64 generator_;
  std::map<std::int64_t, std::vector<Pair>> pairs_;
  ComparedSizes sizes_;
  int measurements_ = 0;
};

Comparison verdict(Verdict given, double ratio, int launches = 5) {
  Comparison comparison;
  comparison.verdict = given;
  comparison.ratio.value = ratio;
  comparison.ratio.launches = launches;
  return comparison;
}
const Comparison kFaster = verdict(Verdict::faster, 0.5);
const Comparison kSlower = verdict(Verdict::slower, 2);
const Comparison kEquivalent = verdict(Verdict::equivalent, 1);
const Comparison kInconclusive = verdict(Verdict::inconclusive, 1.02);

TEST(NextSizeTest, EndsFirstThenTheGridInEqualRatios) {
  const CrossoverOptions options{.from = 1, .to = 10000, .grid = 5, .launches = 4};
  ComparedSizes sizes;
  for (const std::int64_t expected : {1, 10000, 10, 100, 1000}) {
    const auto next = next_size(sizes, options);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->size, expected);
    EXPECT_EQ(next->launches, 4);
    sizes[next->size] = kFaster;
  }
  EXPECT_FALSE(next_size(sizes, options));
}

TEST(NextSizeTest, ASmallRangeIsMeasuredOnceEach) {
  const CrossoverOptions options{.from = 3, .to = 4};
  EXPECT_EQ(next_size({{3, kSlower}}, options)->size, 4);
  EXPECT_FALSE(next_size({{3, kSlower}, {4, kFaster}}, options));
}

TEST(NextSizeTest, BisectsByRatioUntilNeighbours) {
  const CrossoverOptions options{.from = 10, .to = 1000, .grid = 2};
  ComparedSizes sizes = {{10, kSlower}, {1000, kFaster}};
  EXPECT_EQ(next_size(sizes, options)->size, 100);
  sizes[100] = kSlower;
  EXPECT_EQ(next_size(sizes, options)->size, 316);
  sizes[316] = kFaster;
  EXPECT_EQ(next_size(sizes, options)->size, 178);
  sizes[178] = kSlower;
  sizes[179] = kFaster;
  EXPECT_FALSE(next_size(sizes, options));
}

TEST(NextSizeTest, MoreLaunchesWhereNothingIsDecidedNearTheCrossing) {
  const CrossoverOptions options{.from = 10, .to = 1000, .grid = 2, .launches = 5, .most_launches = 20};
  ComparedSizes sizes = {{10, kSlower}, {100, kInconclusive}, {1000, kFaster}};
  for (const int launches : {10, 20}) {
    const auto next = next_size(sizes, options);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->size, 100);
    EXPECT_EQ(next->launches, launches);
    sizes[100].ratio.launches = launches;
  }
  // The gaps on both sides come next, the wider one first.
  EXPECT_EQ(next_size(sizes, options)->size, 32);
  sizes[32] = kSlower;
  EXPECT_EQ(next_size(sizes, options)->size, 316);
  sizes[97] = kSlower;
  sizes[103] = kFaster;
  EXPECT_FALSE(next_size(sizes, options));
}

TEST(NextSizeTest, EquivalentSizesGetNoMoreLaunches) {
  const CrossoverOptions options{.from = 10, .to = 1000, .grid = 2};
  EXPECT_EQ(next_size({{10, kSlower}, {100, kEquivalent}, {1000, kFaster}}, options)->size, 32);
  EXPECT_FALSE(next_size({{10, kEquivalent}, {1000, kEquivalent}}, options));
}

TEST(NextSizeTest, MoreLaunchesWhereAnEndIsInconclusive) {
  const CrossoverOptions options{.from = 10, .to = 1000, .grid = 2, .launches = 5, .most_launches = 12};
  ComparedSizes sizes = {{10, kFaster}, {1000, kInconclusive}};
  for (const int launches : {10, 12}) {
    const auto next = next_size(sizes, options);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->size, 1000);
    EXPECT_EQ(next->launches, launches);
    sizes[1000].ratio.launches = launches;
  }
  EXPECT_FALSE(next_size(sizes, options));
}

TEST(FindCrossoverTest, Outcomes) {
  struct Row {
    ComparedSizes sizes;
    CrossoverOutcome outcome;
  };
  const Row rows[] = {
      {{}, CrossoverOutcome::undecided},
      {{{1, kFaster}, {9, kFaster}}, CrossoverOutcome::none},
      {{{1, kSlower}, {9, kSlower}}, CrossoverOutcome::none},
      {{{1, kEquivalent}, {9, kEquivalent}}, CrossoverOutcome::none},
      {{{1, kFaster}, {3, kEquivalent}, {9, kEquivalent}}, CrossoverOutcome::none},
      {{{1, kFaster}, {3, kInconclusive}, {9, kFaster}}, CrossoverOutcome::none},
      {{{1, kFaster}, {3, kInconclusive}, {9, kEquivalent}}, CrossoverOutcome::undecided},
      {{{1, kEquivalent}, {3, kInconclusive}, {9, kEquivalent}}, CrossoverOutcome::undecided},
      {{{1, kInconclusive}, {9, kFaster}}, CrossoverOutcome::undecided},
      {{{1, kSlower}, {9, kInconclusive}}, CrossoverOutcome::undecided},
      {{{1, kSlower}, {9, kFaster}}, CrossoverOutcome::crossing},
      {{{1, kInconclusive}, {2, kSlower}, {3, kEquivalent}, {9, kFaster}}, CrossoverOutcome::crossing},
  };
  for (const Row& row : rows) {
    EXPECT_STREQ(name_of(find_crossover(row.sizes).outcome), name_of(row.outcome)) << &row - rows;
  }
}

TEST(FindCrossoverTest, BothDirections) {
  const Crossover overtakes = find_crossover({{1, kSlower}, {4, kSlower}, {9, kFaster}, {20, kFaster}});
  EXPECT_EQ(overtakes.crossing.low, 4);
  EXPECT_EQ(overtakes.crossing.high, 9);
  EXPECT_TRUE(overtakes.crossing.a_faster_above);
  EXPECT_NEAR(overtakes.estimate, 6, 1e-9);  // ratios 2 and 1/2: the middle by ratio
  EXPECT_FALSE(find_crossover({{1, kFaster}, {9, kSlower}}).crossing.a_faster_above);
}

TEST(FindCrossoverTest, EstimateFollowsTheRatios) {
  const auto at = [](double low, double high) {
    return find_crossover({{10, verdict(Verdict::slower, low)}, {1000, verdict(Verdict::faster, high)}}).estimate;
  };
  EXPECT_NEAR(at(1.1, 1 / 1.1), 100, 1e-9);
  EXPECT_LT(at(1.1, 0.5), 100);
  EXPECT_GT(at(2, 0.9), 100);
  // A size between the ends that is far off turns the line's zero outside of them.
  const Crossover pulled =
      find_crossover({{10, verdict(Verdict::slower, 1.02)}, {20, verdict(Verdict::inconclusive, 30)}, {30, kFaster}});
  EXPECT_GE(pulled.estimate, 10);
  EXPECT_LE(pulled.estimate, 30);
}

TEST(FindCrossoverTest, SeveralCrossingsAreNamed) {
  const Crossover result =
      find_crossover({{1, kSlower}, {9, kFaster}, {20, kEquivalent}, {30, kSlower}, {90, kFaster}});
  EXPECT_EQ(result.outcome, CrossoverOutcome::crossing);
  EXPECT_EQ(result.crossing.low, 1);
  ASSERT_EQ(result.others.size(), 2U);
  EXPECT_EQ(result.others[0].low, 9);
  EXPECT_EQ(result.others[0].high, 30);
  EXPECT_FALSE(result.others[0].a_faster_above);
  EXPECT_TRUE(result.others[1].a_faster_above);
}

TEST(SearchTest, ExactCurvesAreFoundBetweenTheSizesWithinTheMargin) {
  for (const double level : {3.5, 37.2, 900.0, 31000.0}) {
    Laboratory laboratory(falling_through(level), 0, {.from = 3, .to = 100000});
    const Crossover result = laboratory.search();
    ASSERT_EQ(result.outcome, CrossoverOutcome::crossing) << level;
    EXPECT_LE(static_cast<double>(result.crossing.low), level);
    EXPECT_GE(static_cast<double>(result.crossing.high), level);
    // The margin of 1% is 1.01^5 in size, on both sides, and the gaps are narrow.
    EXPECT_LT(static_cast<double>(result.crossing.high - result.crossing.low), std::max(1.1, 0.25 * level));
    EXPECT_NEAR(result.estimate / level, 1, 0.05);
    EXPECT_TRUE(result.others.empty());
    EXPECT_LT(laboratory.measurements(), 40);
  }
}

TEST(SearchTest, NoiseWidensTheIntervalAndIsCovered) {
  Laboratory laboratory(falling_through(700), 0.03, {.from = 3, .to = 100000});
  const Crossover result = laboratory.search();
  ASSERT_EQ(result.outcome, CrossoverOutcome::crossing);
  EXPECT_LT(result.crossing.low, 700);
  EXPECT_GT(result.crossing.high, 700);
  EXPECT_NEAR(std::log(result.estimate / 700), 0, 0.25);
  EXPECT_LT(laboratory.measurements(), 100);
}

TEST(SearchTest, AJumpIsFoundToTheSize) {
  Laboratory laboratory([](double size) { return size < 517 ? 1.5 : 0.7; }, 0.02, {.from = 1, .to = 1000000});
  const Crossover result = laboratory.search();
  ASSERT_EQ(result.outcome, CrossoverOutcome::crossing);
  EXPECT_EQ(result.crossing.low, 516);
  EXPECT_EQ(result.crossing.high, 517);
}

TEST(SearchTest, NoCrossing) {
  Laboratory laboratory([](double) { return 0.8; }, 0.02, {.from = 3, .to = 100000});
  EXPECT_EQ(laboratory.search().outcome, CrossoverOutcome::none);
  EXPECT_EQ(laboratory.measurements(), 5);
}

TEST(SearchTest, NoiseAloneIsSeldomTakenForACrossing) {
  int crossings = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Laboratory laboratory([](double) { return 1.0; }, 0.3, {.from = 3, .to = 100000}, seed);
    const Crossover result = laboratory.search();
    if (result.outcome == CrossoverOutcome::crossing) ++crossings;
    for (const auto& [size, comparison] : laboratory.sizes()) {
      if (comparison.verdict == Verdict::inconclusive && result.outcome != CrossoverOutcome::crossing) {
        EXPECT_EQ(comparison.ratio.launches, 32) << size;
      }
    }
  }
  EXPECT_LE(crossings, 2);
}

TEST(SearchTest, ThereAndBackAgain) {
  // A wins in the middle alone.
  Laboratory laboratory([](double size) { return size > 50 && size < 5000 ? 0.6 : 1.4; }, 0.02,
                        {.from = 3, .to = 100000});
  const Crossover result = laboratory.search();
  ASSERT_EQ(result.outcome, CrossoverOutcome::crossing);
  EXPECT_EQ(result.crossing.low, 50);
  EXPECT_EQ(result.crossing.high, 51);
  ASSERT_EQ(result.others.size(), 1U);
  EXPECT_LT(result.others[0].low, 5000);
  EXPECT_GE(result.others[0].high, 5000);
}

}  // namespace
}  // namespace gdbench::stats
