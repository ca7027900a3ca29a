// A model that is linear in three coefficients, none of them negative, fitted to medians that scatter by launch.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/resampling.h"

namespace gdbench::stats {

constexpr std::size_t kCoefficients = 3;
using Coefficients = std::array<double, kCoefficients>;
using Columns = std::array<bool, kCoefficients>;  // which coefficients take part; the others are 0

struct FitPoint {
  Coefficients x{};  // regressors
  double y = 0;      // positive
};

struct LinearFit {
  Coefficients coefficients{};
  double largest_relative_residual = 0;  // max |y - fitted| / y
};

// Least squares of the relative residuals, sum of ((y - c.x) / y)^2, with c >= 0: of the sets of columns whose normal
// equations have a solution without a negative coefficient, the one with the smallest sum. That is the constrained
// minimum: its positive coefficients solve the unconstrained problem in their own columns (C. Lawson, R. Hanson,
// Solving Least Squares Problems, 1974, ch. 23). Nothing where no set has a solution.
std::optional<LinearFit> fit(std::span<const FitPoint> points, const Columns& columns);

// Whether the columns can be distinguished from these points, for any y.
bool separable(std::span<const FitPoint> points, const Columns& columns);

// One point with the time of each of its launches.
struct ClusteredPoint {
  Coefficients x{};
  std::vector<double> launch_times;
};

struct ClusteredFit {
  std::array<Estimate, kCoefficients> coefficients;  // launches is 0 for a column that took no part
  Columns at_bound{};  // 0, or not distinguished from it: the interval goes from 0 to what the coefficient is at most
  double largest_relative_residual = 0;
};

// The fit to the medians over launches; percentile intervals of a bootstrap that draws what each point's median may be
// (draw_median) and fits again. A coefficient is at its bound where it is 0 in the fit, or in more of the bootstrap
// than an interval leaves out below; all that may be left out then lies above. Nothing where the fit has no solution.
std::optional<ClusteredFit> clustered_fit(std::span<const ClusteredPoint> points, const Columns& columns,
                                          const BootstrapOptions& options);

}  // namespace gdbench::stats
