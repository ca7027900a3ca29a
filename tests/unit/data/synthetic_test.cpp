// The condition of synthetic features, and their density.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/scenarios/files.h"

namespace gdbench::data {
namespace {

using tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;
using Synthetic = Files;

std::vector<double> variances(const Dataset& data) {
  std::vector<double> sums(static_cast<std::size_t>(data.features));
  for (std::int64_t i = 0; i < data.rows * data.features; ++i) {
    sums[static_cast<std::size_t>(i % data.features)] += data.x<double>()[i] * data.x<double>()[i];
  }
  for (double& sum : sums) sum /= static_cast<double>(data.rows);
  return sums;
}

std::vector<scenario::Setting> with(std::vector<scenario::Setting> settings,
                                    const std::vector<scenario::Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

const std::vector<scenario::Setting> kLarge = {{"dtype", "f64"}, {"rows", "5000"}, {"features", "4"}};

TEST_F(Synthetic, ConditionSpreadsTheColumnsVariancesInEqualRatios) {
  const Dataset plain = dataset(linear_scenario(), kLarge);
  const Dataset spread = dataset(linear_scenario(), with(kLarge, {{"data.condition", "1000"}}));
  const std::vector<double> variance = variances(spread);
  for (std::size_t j = 0; j < 4; ++j) {
    const double expected = std::pow(1000, -static_cast<double>(j) / 3);
    EXPECT_NEAR(variance[j] / variances(plain)[j], expected, 1e-12 * expected);
    EXPECT_NEAR(variance[j], expected, 0.1 * expected);
  }
  EXPECT_TRUE(std::equal(plain.y<double>(), plain.y<double>() + plain.rows, spread.y<double>()));
}

TEST_F(Synthetic, StandardisationUndoesTheCondition) {
  const std::vector<scenario::Setting> standardised = with(kLarge, {{"standardise.features", "true"}});
  const Dataset plain = dataset(linear_scenario(), standardised);
  const Dataset spread = dataset(linear_scenario(), with(standardised, {{"data.condition", "1e6"}}));
  for (std::int64_t i = 0; i < plain.rows * plain.features; ++i) {
    ASSERT_NEAR(plain.x<double>()[i], spread.x<double>()[i], 1e-11);
  }
}

TEST_F(Synthetic, DensityKeepsThatPartOfTheEntriesAsTheyAre) {
  const Dataset plain = dataset(linear_scenario(), kLarge);
  const Dataset masked = dataset(linear_scenario(), with(kLarge, {{"data.density", "0.3"}}));
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < plain.rows * plain.features; ++i) {
    const double value = masked.x<double>()[i];
    if (value == 0) continue;
    ++kept;
    ASSERT_EQ(value, plain.x<double>()[i]);
  }
  EXPECT_NEAR(static_cast<double>(kept) / static_cast<double>(plain.rows * plain.features), 0.3, 0.01);
  EXPECT_EQ(dataset(linear_scenario(), with(kLarge, {{"data.density", "1"}})).digest, plain.digest);
}

TEST_F(Synthetic, TargetsAreMadeFromTheMaskedFeatures) {
  const Dataset data =
      dataset(linear_scenario(),
              {{"dtype", "f64"}, {"rows", "50"}, {"features", "1"}, {"data.noise", "0"}, {"data.density", "0.5"}});
  std::int64_t zeros = 0;
  for (std::int64_t i = 0; i < 50; ++i) {
    if (data.x<double>()[i] != 0) continue;
    ++zeros;
    EXPECT_EQ(data.y<double>()[i], 0);
  }
  EXPECT_GT(zeros, 10);
}

TEST_F(Synthetic, EveryKindCanBeMasked) {
  const Dataset blobs = dataset(perceptron_scenario(), {{"standardise.features", "false"}, {"data.density", "0.25"}});
  const auto zeros = std::count(blobs.x<double>(), blobs.x<double>() + 60, 0.0);
  EXPECT_GT(zeros, 30);
  EXPECT_LT(zeros, 60);
  EXPECT_NE(dataset(linear_scenario(), {{"data.kind", "teacher"}, {"data.density", "0.5"}}).digest,
            dataset(linear_scenario(), {{"data.kind", "teacher"}}).digest);
}

TEST_F(Synthetic, SaysWhatIsWrongInOneLine) {
  const std::pair<std::vector<scenario::Setting>, const char*> rows[] = {
      {{{"data.density", "0"}}, "density: found 0, expected a number above 0 and up to 1"},
      {{{"data.density", "1.5"}}, "density: found 1.5, expected a number above 0 and up to 1"},
      {{{"data.condition", "0.5"}}, "condition: found 0.5, expected a number of at least 1"},
      {{{"data.kind", "teacher"}, {"data.condition", "2"}},
       "condition: found a condition with the kind \"teacher\", expected the kind \"linear\""},
  };
  for (const auto& [settings, message] : rows) {
    EXPECT_EQ(read_error(linear_scenario(), settings), std::string("s.json: --set data.") + message);
  }
  EXPECT_EQ(dataset(linear_scenario(), {{"features", "1"}, {"data.condition", "10"}}).digest,
            dataset(linear_scenario(), {{"features", "1"}}).digest)
      << "one feature has nothing to spread";
}

}  // namespace
}  // namespace gdbench::data
