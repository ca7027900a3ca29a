#include "harness/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gdbench {
namespace {

TEST(SplitMix64, GivesThePublishedSequence) {
  // The first outputs for seed 1234567, as in the public test vectors of the reference implementation.
  std::uint64_t state = 1234567;
  EXPECT_EQ(split_mix_64(state), 6457827717110365317U);
  EXPECT_EQ(split_mix_64(state), 3203168211198807973U);
  EXPECT_EQ(split_mix_64(state), 9817491932198370423U);
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
