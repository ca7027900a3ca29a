#include "harness/stats/linear_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gdbench::stats {
namespace {

constexpr Columns kAll = {true, true, true};

// Sizes that tell a constant, calls and operations apart.
constexpr std::array<Coefficients, 6> kSizes = {
    {{1, 3, 40}, {1, 3, 4'000}, {1, 9, 2'000}, {1, 9, 900'000}, {1, 20, 50'000}, {1, 3, 800'000}}};

double at(const Coefficients& coefficients, const Coefficients& x) {
  return coefficients[0] * x[0] + coefficients[1] * x[1] + coefficients[2] * x[2];
}

std::vector<FitPoint> exact_points(const Coefficients& coefficients) {
  std::vector<FitPoint> points;
  for (const Coefficients& x : kSizes) points.push_back({x, at(coefficients, x)});
  return points;
}

TEST(Fit, WeighsResidualsByTheValue) {
  // A constant between 1 and 100: absolute least squares gives 50.5, relative ones (1 + 0.01) / (1 + 0.0001).
  const std::vector<FitPoint> points = {{{1, 0, 0}, 1}, {{1, 0, 0}, 100}};
  const std::optional<LinearFit> found = fit(points, {true, false, false});
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->coefficients[0], 1.01 / 1.0001, 1e-12);
  EXPECT_NEAR(found->largest_relative_residual, 1 - found->coefficients[0] / 100, 1e-12);
}

// Of the relative residuals.
double sum_of_squares(const std::vector<FitPoint>& points, const Coefficients& coefficients) {
  double sum = 0;
  for (const FitPoint& point : points) sum += std::pow((point.y - at(coefficients, point.x)) / point.y, 2);
  return sum;
}

TEST(Fit, NoCoefficientCanBeChangedForABetterOne) {
  // The problem is convex: what no small step improves is the best. Values have little to do with what is fitted.
  std::mt19937_64 generator(3);
  const auto uniform = [&generator] { return static_cast<double>(generator() >> 11) * 0x1p-53; };
  int at_bound = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<FitPoint> points;
    for (int i = 0; i < 5; ++i) points.push_back({{1, 10 * uniform(), 1000 * uniform()}, 1 + 20 * uniform()});
    const std::optional<LinearFit> found = fit(points, kAll);
    ASSERT_TRUE(found.has_value());
    const double least = sum_of_squares(points, found->coefficients);
    for (std::size_t i = 0; i < kCoefficients; ++i) {
      const double step = 1e-4 / points[0].x[i];
      at_bound += found->coefficients[i] == 0 ? 1 : 0;
      EXPECT_GE(found->coefficients[i], 0);
      for (const double sign : {1.0, -1.0}) {
        Coefficients nearby = found->coefficients;
        nearby[i] += sign * step;
        if (nearby[i] < 0) continue;
        EXPECT_GE(sum_of_squares(points, nearby), least * (1 - 1e-12)) << trial << ", " << i;
      }
    }
  }
  EXPECT_GT(at_bound, 100) << "both kinds are among them";
  EXPECT_LT(at_bound, 500);
}

TEST(Fit, NothingIsFittedToNothing) {
  EXPECT_FALSE(fit({}, kAll).has_value());
  EXPECT_FALSE(fit(exact_points({1, 1, 1}), {false, false, false}).has_value());
}

TEST(Separable, CallsThatDoNotVaryAreTheConstantWhateverTheUnits) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    std::vector<FitPoint> points = exact_points({12, 7, 0.02});
    for (FitPoint& point : points) point.y *= unit;
    EXPECT_TRUE(separable(points, kAll)) << unit;
    for (FitPoint& point : points) point.x[1] = 0.3 * point.x[0] + 0.7 * point.x[2];
    EXPECT_FALSE(separable(points, kAll)) << unit;
    for (FitPoint& point : points) point.x[1] = 3;
    EXPECT_FALSE(separable(points, kAll)) << unit;
    EXPECT_TRUE(separable(points, {true, false, true})) << unit;
  }
}

std::vector<ClusteredPoint> scattered_points(const Coefficients& coefficients, double scatter, int launches) {
  std::mt19937_64 generator(5);
  std::vector<ClusteredPoint> points;
  for (const Coefficients& x : kSizes) {
    points.push_back({x, {}});
    for (int launch = 0; launch < launches; ++launch) {
      const double uniform = static_cast<double>(generator() >> 11) * 0x1p-53 - 0.5;
      points.back().launch_times.push_back(at(coefficients, x) * (1 + scatter * uniform));
    }
  }
  return points;
}

TEST(ClusteredFit, ACoefficientAtItsBoundHasAOneSidedInterval) {
  // The constant is 0 in the truth, below it in about every other resample.
  const std::optional<ClusteredFit> found = clustered_fit(scattered_points({0, 7, 0.02}, 0.1, 12), kAll, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->at_bound, (Columns{true, false, false}));
  const Estimate& constant = found->coefficients[0];
  EXPECT_EQ(constant.interval.low, 0);
  EXPECT_GT(constant.interval.high, 0);
  EXPECT_GE(constant.interval.high, constant.value);
  EXPECT_GT(found->coefficients[1].interval.low, 0);

  const std::optional<ClusteredFit> negative = clustered_fit(scattered_points({-20, 7, 0.02}, 0.02, 12), kAll, {});
  ASSERT_TRUE(negative.has_value());
  EXPECT_TRUE(negative->at_bound[0]) << "0 in every resample";
  EXPECT_EQ(negative->coefficients[0].interval.high, 0);
}

TEST(ClusteredFit, AnIntervalReachesToZeroOnlyWhereTheCoefficientIsAtItsBound) {
  int at_bound = 0;
  for (double constant = 0; constant < 2; constant += 0.1) {
    const std::optional<ClusteredFit> found =
        clustered_fit(scattered_points({constant, 7, 0.02}, 0.1, 12), kAll, {.resamples = 300});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->at_bound[0], found->coefficients[0].interval.low == 0) << constant;
    at_bound += found->at_bound[0] ? 1 : 0;
  }
  EXPECT_GT(at_bound, 2);
  EXPECT_LT(at_bound, 18);
}

TEST(ClusteredFit, DrawsAsManyLaunchesAsThereAre) {
  ClusteredPoint point{{1, 0, 0}, {}};
  for (int launch = 1; launch <= 12; ++launch) point.launch_times.push_back(launch);
  const std::optional<ClusteredFit> found = clustered_fit(std::vector{point}, {true, false, false}, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->coefficients[0].value, 6.5);
  // The median of 12 lies between the third and the tenth, not between the first and the last.
  EXPECT_NEAR(found->coefficients[0].interval.low, 3.5, 0.6);
  EXPECT_NEAR(found->coefficients[0].interval.high, 9.5, 0.6);
}

TEST(ClusteredFit, FewLaunchesHaveStudentsIntervalWhichLeavesTheirRange) {
  // Logarithms -1, 0, 1: as that of typical_time(), by t of 2 degrees of freedom at 97.5% (4.30265, any table).
  const ClusteredPoint point{{1, 0, 0}, {std::exp(-1.0), 1, std::exp(1.0)}};
  const std::optional<ClusteredFit> found =
      clustered_fit(std::vector{point}, {true, false, false}, {.resamples = 20'000});
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(std::log(found->coefficients[0].interval.high), 4.30265 / std::sqrt(3), 0.15);
  EXPECT_NEAR(std::log(found->coefficients[0].interval.low), -4.30265 / std::sqrt(3), 0.15);
}

TEST(ClusteredFit, MarksASingleLaunchAndColumnsThatTookNoPart) {
  const std::optional<ClusteredFit> found = clustered_fit(scattered_points({12, 7, 0}, 0, 1), {true, true, false}, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->coefficients[0].within_one_process);
  EXPECT_EQ(found->coefficients[1].launches, 1);
  EXPECT_EQ(found->coefficients[2].value, 0);
  EXPECT_EQ(found->coefficients[2].launches, 0);
}

}  // namespace
}  // namespace gdbench::stats
