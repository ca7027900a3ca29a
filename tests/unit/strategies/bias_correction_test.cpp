#include <gtest/gtest.h>

#include <limits>

#include "implementations/strategies/common/moment_corrections.h"

namespace gdbench::strategies {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// (1 - beta) (1 + beta + beta^2 + ...): sums of positive terms.
double exact(double beta, std::int64_t update) {
  const long double rest = 1 - static_cast<long double>(beta);
  long double sum = 0;
  long double power = 1;
  for (std::int64_t i = 0; i < update; ++i, power *= beta) sum += power;
  return static_cast<double>(rest * sum);
}

TEST(BiasCorrectionTest, IsExactToAFewRoundingsWhereTheDifferenceIsSmall) {
  for (const double beta : {0.0, 0.3, 0.5, 0.9, 0.999, 0.9999999}) {
    BiasCorrection correction(beta);
    for (std::int64_t update = 1; update <= 1000; ++update) {
      const double expected = exact(beta, update);
      ASSERT_NEAR(correction.at(update), expected, 8 * kEpsilon * expected) << beta << " at " << update;
    }
  }
}

TEST(BiasCorrectionTest, DoesNotDependOnWhatWasAskedBefore) {
  BiasCorrection counting(0.999);
  BiasCorrection jumping(0.999);
  for (std::int64_t update = 1; update <= 200; ++update) {
    const double value = counting.at(update);
    jumping.at(1 + update * 7919 % 1000);
    EXPECT_EQ(jumping.at(update), value) << update;
    EXPECT_EQ(jumping.at(update), value) << update;
  }
}

}  // namespace
}  // namespace gdbench::strategies
