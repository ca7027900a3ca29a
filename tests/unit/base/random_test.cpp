#include "harness/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gdbench {
namespace {

TEST(SplitMix64, GivesThePublishedSequence) {
  // The first outputs for seed 1234567, as in the public test vectors of the reference implementation.
  std::uint64_t state = 1234567;
  EXPECT_EQ(split_mix_64(state), 6457827717110365317U);
  EXPECT_EQ(split_mix_64(state), 3203168211198807973U);
  EXPECT_EQ(split_mix_64(state), 9817491932198370423U);
}

TEST(Random, IsSeeded) {
  Random a(1);
  Random b(1);
  Random other_seed(2);
  Random other_stream(1, 1);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, other_seed.next());
  EXPECT_NE(first, other_stream.next());
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(3);
  std::vector<double> values;
  for (int i = 0; i < 100000; ++i) values.push_back(random.uniform());
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 1e-3);
  EXPECT_GT(most, 1 - 1e-3);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / 100000, 0.5, 0.005);
}

TEST(Random, BelowIsUniform) {
  Random random(4);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, NormalHasTheMomentsOfANormal) {
  Random random(5);
  constexpr int kCount = 200000;
  double moments[5] = {};
  for (int i = 0; i < kCount; ++i) {
    const double value = random.normal();
    for (int k = 1; k < 5; ++k) moments[k] += std::pow(value, k) / kCount;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.02);
  EXPECT_NEAR(moments[3], 0, 0.05);
  EXPECT_NEAR(moments[4], 3, 0.1);
}

TEST(Reproducible, FunctionsAgreeWithTheLibrary) {
  for (double x = -30; x < 30; x += 0.0137) {
    EXPECT_NEAR(reproducible_exp(x) / std::exp(x), 1, 1e-14) << x;
    EXPECT_NEAR(reproducible_tanh(x), std::tanh(x), 1e-15) << x;
    EXPECT_NEAR(reproducible_log(std::exp(x)), x, 1e-14) << x;
  }
  EXPECT_EQ(reproducible_log(1), 0);
  EXPECT_NEAR(reproducible_log(1e-300) / std::log(1e-300), 1, 1e-15);
  EXPECT_EQ(reproducible_exp(-1000), 0);
  EXPECT_EQ(reproducible_exp(1000), HUGE_VAL);
  EXPECT_EQ(reproducible_tanh(1000), 1);
  EXPECT_EQ(reproducible_tanh(-1000), -1);
}

}  // namespace
}  // namespace gdbench
