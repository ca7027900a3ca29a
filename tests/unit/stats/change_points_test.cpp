#include "harness/stats/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gdbench::stats {
namespace {

using Borders = std::vector<std::size_t>;

// Logarithms of times that scatter by 1%. With tails, one in ten scatters by five times as much, as on shared machines.
std::vector<double> scatter(std::size_t count, std::uint64_t seed, bool with_tails = false) {
  std::mt19937_64 generator(seed);
  const auto uniform = [&generator] { return static_cast<double>(generator() >> 11) * 0x1p-53; };
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    double normal = -6;
    for (int term = 0; term < 12; ++term) normal += uniform();
    const bool is_wide = uniform() < 0.1;
    values.push_back(0.01 * normal * (with_tails && is_wide ? 5 : 1));
  }
  return values;
}

// Times from value `first` on become `ratio` times as long.
void step(std::vector<double>& values, std::size_t first, double ratio) {
  for (std::size_t i = first; i < values.size(); ++i) values[i] += std::log(ratio);
}

double mean_distance(const std::vector<double>& some, const std::vector<double>& others) {
  double sum = 0;
  for (const double one : some) {
    for (const double other : others) sum += std::abs(one - other);
  }
  return sum / static_cast<double>(some.size() * others.size());
}

double mean_distance_of_pairs(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  return mean_distance(values, values) * count / (count - 1);
}

// The borders in the order in which the segments are divided, by the formulas as the paper has them (its (5) to (7)).
void divide(const std::vector<double>& values, Borders& borders) {
  Borders ends = borders;
  ends.push_back(values.size());
  std::ranges::sort(ends);
  double largest = 0;
  std::size_t best = 0;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    for (std::size_t border = first + kMinSegment; border + kMinSegment <= end; ++border) {
      for (std::size_t last = border + kMinSegment; last <= end; ++last) {
        const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
        const std::vector<double> before(at(first), at(border));
        const std::vector<double> behind(at(border), at(last));
        const auto n = static_cast<double>(before.size());
        const auto m = static_cast<double>(behind.size());
        const double distance =
            n * m / (n + m) *
            (2 * mean_distance(before, behind) - mean_distance_of_pairs(before) - mean_distance_of_pairs(behind));
        if (distance <= largest) continue;
        largest = distance;
        best = border;
      }
    }
    first = end;
  }
  if (largest == 0) return;
  borders.push_back(best);
  divide(values, borders);
}

TEST(ChangePoints, DividesWhereTheFormulasOfThePaperDo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<double> values = scatter(14, 300 + seed, true);
    step(values, 3 + seed % 8, 1.02);
    Borders expected;
    divide(values, expected);
    std::ranges::sort(expected);
    EXPECT_EQ(change_points(values, {.permutations = 0}), expected) << "every division is significant, seed " << seed;
  }
}

TEST(ChangePoints, NoiseAloneSeldomHasAny) {
  for (const bool with_tails : {false, true}) {
    for (const std::size_t count : {12U, 40U, 100U}) {
      int alarms = 0;
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        alarms += change_points(scatter(count, 1000 + seed, with_tails)).empty() ? 0 : 1;
      }
      // 1% is 2 of 200; 7 or more would be a chance of 1 in 220.
      EXPECT_LT(alarms, 7) << count << " values" << (with_tails ? " with tails" : "");
    }
  }
}

TEST(ChangePoints, FewPermutationsCannotBeSignificant) {
  std::vector<double> values = scatter(40, 11);
  step(values, 20, 2);
  EXPECT_EQ(change_points(values, {.significance = 0.1, .permutations = 9}), Borders({20}));
  EXPECT_EQ(change_points(values, {.significance = 0.1, .permutations = 8}), Borders())
      << "the order of time is one of nine, which is more than a tenth";
}

TEST(ChangePoints, FindsTwoStepsAndAPlateauThatGoesBack) {
  std::vector<double> stairs = scatter(60, 5);
  step(stairs, 20, 1.08);
  step(stairs, 45, 1.08);
  EXPECT_EQ(change_points(stairs), (Borders{20, 45}));

  std::vector<double> plateau = scatter(60, 6);
  step(plateau, 20, 1.08);
  step(plateau, 40, 1 / 1.08);
  EXPECT_EQ(change_points(plateau), (Borders{20, 40}));
}

TEST(ChangePoints, OneOutlierIsNoChangeWhereverItIs) {
  for (std::size_t place = 0; place < 24; ++place) {
    std::vector<double> values = scatter(24, 7);
    values[place] += std::log(1.5);
    EXPECT_EQ(change_points(values), Borders()) << place;
  }
}

TEST(ChangePoints, FewValuesShowNone) {
  EXPECT_EQ(change_points({}), Borders());
  EXPECT_EQ(change_points({1}), Borders());
  EXPECT_EQ(change_points({1, 1, 2}), Borders());
  EXPECT_EQ(change_points({1, 1, 2, 2}), Borders());
  EXPECT_EQ(change_points(std::vector<double>(50, 3.0)), Borders());
}

TEST(ChangePoints, TwoValuesAtTheEndAreEnoughWhereThereAreMany) {
  std::vector<double> values = scatter(28, 9);
  step(values, 26, 1.2);
  EXPECT_EQ(change_points(values), Borders({26}));
  step(values, 27, 1 / 1.2);
  EXPECT_EQ(change_points(values), Borders()) << "one value is an outlier";
}

TEST(ChangePoints, NeitherUnitNorSeedMatters) {
  std::vector<double> values = scatter(200, 10);
  step(values, 90, 1.04);
  step(values, 150, 0.95);
  const Borders borders = change_points(values);
  EXPECT_EQ(borders, (Borders{90, 150}));
  EXPECT_EQ(change_points(values, {.seed = 99}), borders);
  for (double& value : values) value = 3 * value + 7;
  EXPECT_EQ(change_points(values), borders);
}

}  // namespace
}  // namespace gdbench::stats
