#include "implementations/strategies/common/moment_corrections.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

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

TEST(BiasCorrectionTest, IsExactToAFewRoundingsWhateverWasAskedBefore) {
  for (const double beta : {0.0, 0.3, 0.5, 0.9, 0.999, 0.9999999}) {
    BiasCorrection counting(beta);
    BiasCorrection jumping(beta);
    for (std::int64_t update = 1; update <= 1000; ++update) {
      const double expected = exact(beta, update);
      const double found = counting.at(update);
      ASSERT_NEAR(found, expected, 8 * kEpsilon * expected) << beta << " at " << update;
      jumping.at(1 + update * 7919 % 1000);
      ASSERT_EQ(jumping.at(update), found) << beta << " at " << update;
      ASSERT_EQ(jumping.at(update), found) << beta << " at " << update << " again";
    }
  }
}

// As torch.optim.RAdam has it, in twice the digits that its differences cost.
double torch_rectification(double beta2, std::int64_t update) {
  const long double beta = beta2;
  const long double longest = 2 / (1 - beta) - 1;
  const long double decayed = std::pow(beta, static_cast<long double>(update));
  const long double length = longest - 2 * static_cast<long double>(update) * decayed / (1 - decayed);
  if (length <= 5) return 0;
  return static_cast<double>(
      std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)));
}

TEST(RectificationTest, IsThatOfTorchWhateverWasAskedBefore) {
  const std::pair<double, std::int64_t> cases[] = {{0.0, 0}, {0.5, 0}, {0.66, 0}, {0.7, 10}, {0.9, 6}, {0.999, 6}};
  for (const auto& [beta2, first] : cases) {  // the first update that is not left undivided, or none
    Rectification counting(beta2);
    Rectification jumping(beta2);
    for (std::int64_t update = 1; update <= 3000; ++update) {
      const double found = counting.at(update);
      ASSERT_NEAR(found, torch_rectification(beta2, update), 1e-13) << beta2 << " at " << update;
      ASSERT_EQ(found != 0, first != 0 && update >= first) << beta2 << " at " << update;
      if (update % 300 == 0) jumping.at(100000);
      jumping.at(1 + update * 7919 % 1000);
      ASSERT_EQ(jumping.at(update), found) << beta2 << " at " << update;
    }
  }
}

// Of rates that rise and fall; by whichever way it is asked.
TEST(AverageShare, IsThatOfTheSquareOfTheLargestRateSoFar) {
  const double rates[] = {1, 2, 1, 3};
  const double shares[] = {1, 4. / 5, 4. / 9, 9. / 18, 9. / 27, 9. / 36};
  gdbench_optimizer optimizer{};
  optimizer.learning_rates = rates;
  optimizer.learning_rate_count = 4;
  AverageShare share(optimizer);
  for (const std::int64_t update : {1, 2, 3, 4, 5, 6, 2, 6, 1}) {
    EXPECT_DOUBLE_EQ(share.at(update), shares[update - 1]) << update;
  }
  optimizer.learning_rate_count = 1;
  EXPECT_DOUBLE_EQ(AverageShare(optimizer).at(1000), 1e-3);
}

}  // namespace
}  // namespace gdbench::strategies
