#include "harness/stats/linear_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace gdbench::stats {

namespace {

// Of a pivot to its column's squared length, below which the column counts as a combination of the others.
constexpr double kSmallestPivot = 1e-9;

using Matrix = std::array<Coefficients, kCoefficients>;

// The relative problem: rows x / y against 1, columns scaled to length 1.
struct NormalEquations {
  Matrix matrix{};
  Coefficients right{};
  Coefficients scale{};  // of each column; 0 for one that is all zeros
};

NormalEquations normal_equations(std::span<const FitPoint> points) {
  NormalEquations equations;
  for (const FitPoint& point : points) {
    for (std::size_t i = 0; i < kCoefficients; ++i) {
      equations.right[i] += point.x[i] / point.y;
      for (std::size_t j = 0; j < kCoefficients; ++j) {
        equations.matrix[i][j] += point.x[i] * point.x[j] / (point.y * point.y);
      }
    }
  }
  for (std::size_t i = 0; i < kCoefficients; ++i) {
    const double length = std::sqrt(equations.matrix[i][i]);
    equations.scale[i] = length > 0 ? 1 / length : 0;
  }
  for (std::size_t i = 0; i < kCoefficients; ++i) {
    equations.right[i] *= equations.scale[i];
    for (std::size_t j = 0; j < kCoefficients; ++j) {
      equations.matrix[i][j] *= equations.scale[i] * equations.scale[j];
    }
  }
  return equations;
}

// Cholesky, in place: the lower triangle of the chosen columns. False where they depend on each other.
bool factorise(Matrix& matrix, const Columns& columns) {
  for (std::size_t j = 0; j < kCoefficients; ++j) {
    if (!columns[j]) continue;
    for (std::size_t k = 0; k < j; ++k) {
      if (columns[k]) matrix[j][j] -= matrix[j][k] * matrix[j][k];
    }
    if (!(matrix[j][j] > kSmallestPivot)) return false;
    matrix[j][j] = std::sqrt(matrix[j][j]);
    for (std::size_t i = j + 1; i < kCoefficients; ++i) {
      if (!columns[i]) continue;
      for (std::size_t k = 0; k < j; ++k) {
        if (columns[k]) matrix[i][j] -= matrix[i][k] * matrix[j][k];
      }
      matrix[i][j] /= matrix[j][j];
    }
  }
  return true;
}

// The solution in the chosen columns, of the scaled problem.
std::optional<Coefficients> solve(const NormalEquations& equations, const Columns& columns) {
  Matrix lower = equations.matrix;
  if (!factorise(lower, columns)) return std::nullopt;
  Coefficients solution{};
  for (std::size_t i = 0; i < kCoefficients; ++i) {
    if (!columns[i]) continue;
    solution[i] = equations.right[i];
    for (std::size_t k = 0; k < i; ++k) solution[i] -= columns[k] ? lower[i][k] * solution[k] : 0;
    solution[i] /= lower[i][i];
  }
  for (std::size_t i = kCoefficients; i-- > 0;) {
    if (!columns[i]) continue;
    for (std::size_t k = i + 1; k < kCoefficients; ++k) solution[i] -= columns[k] ? lower[k][i] * solution[k] : 0;
    solution[i] /= lower[i][i];
  }
  return solution;
}

double fitted(const FitPoint& point, const Coefficients& coefficients) {
  double sum = 0;
  for (std::size_t i = 0; i < kCoefficients; ++i) sum += coefficients[i] * point.x[i];
  return sum;
}

Columns columns_of(unsigned set, const Columns& allowed) {
  Columns columns{};
  for (std::size_t i = 0; i < kCoefficients; ++i) columns[i] = allowed[i] && (set >> i & 1U) != 0;
  return columns;
}

// The interval of a coefficient from its bootstrap.
Interval interval_of(double value, bool at_bound, std::vector<double> resampled, double confidence) {
  if (resampled.empty()) return {value, value};
  if (!at_bound) return percentile_interval(std::move(resampled), confidence);
  std::sort(resampled.begin(), resampled.end());
  return {0, std::max(value, quantile(resampled, confidence))};
}

bool is_at_bound(double value, const std::vector<double>& resampled, double confidence) {
  const auto zeros = static_cast<double>(std::count(resampled.begin(), resampled.end(), 0.0));
  return value == 0 || zeros > (1 - confidence) / 2 * static_cast<double>(resampled.size());
}

}  // namespace

bool separable(std::span<const FitPoint> points, const Columns& columns) {
  Matrix matrix = normal_equations(points).matrix;
  return factorise(matrix, columns);
}

std::optional<LinearFit> fit(std::span<const FitPoint> points, const Columns& columns) {
  const NormalEquations equations = normal_equations(points);
  std::optional<LinearFit> best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = (1U << kCoefficients) - 1; set > 0; --set) {
    const Columns chosen = columns_of(set, columns);
    if (chosen != columns_of(set, {true, true, true})) continue;
    std::optional<Coefficients> solution = solve(equations, chosen);
    if (!solution || std::any_of(solution->begin(), solution->end(), [](double c) { return c < 0; })) continue;
    for (std::size_t i = 0; i < kCoefficients; ++i) (*solution)[i] *= equations.scale[i];
    double sum = 0;
    double largest = 0;
    for (const FitPoint& point : points) {
      const double residual = std::abs(point.y - fitted(point, *solution)) / point.y;
      sum += residual * residual;
      largest = std::max(largest, residual);
    }
    if (sum < least) {
      least = sum;
      best = LinearFit{*solution, largest};
    }
  }
  return best;
}

std::optional<ClusteredFit> clustered_fit(std::span<const ClusteredPoint> points, const Columns& columns,
                                          const BootstrapOptions& options) {
  std::vector<FitPoint> medians;
  std::vector<std::vector<double>> sorted;
  int launches = std::numeric_limits<int>::max();
  for (const ClusteredPoint& point : points) {
    medians.push_back({point.x, median(point.launch_times)});
    sorted.push_back(point.launch_times);
    std::sort(sorted.back().begin(), sorted.back().end());
    launches = std::min(launches, static_cast<int>(point.launch_times.size()));
  }
  const std::optional<LinearFit> whole = fit(medians, columns);
  if (!whole) return std::nullopt;

  std::mt19937_64 generator(options.seed);
  std::array<std::vector<double>, kCoefficients> resampled;
  for (int resample = 0; resample < std::max(options.resamples, 1); ++resample) {
    for (std::size_t p = 0; p < points.size(); ++p) medians[p].y = draw_median(generator, sorted[p]);
    const std::optional<LinearFit> again = fit(medians, columns);
    if (!again) continue;
    for (std::size_t i = 0; i < kCoefficients; ++i) resampled[i].push_back(again->coefficients[i]);
  }
  ClusteredFit result;
  result.largest_relative_residual = whole->largest_relative_residual;
  for (std::size_t i = 0; i < kCoefficients; ++i) {
    if (!columns[i]) continue;
    const double value = whole->coefficients[i];
    result.at_bound[i] = is_at_bound(value, resampled[i], options.confidence);
    result.coefficients[i].value = value;
    result.coefficients[i].interval =
        interval_of(value, result.at_bound[i], std::move(resampled[i]), options.confidence);
    result.coefficients[i].launches = launches;
    result.coefficients[i].within_one_process = launches == 1;
    result.coefficients[i].method = IntervalMethod::bootstrap;
  }
  return result;
}

}  // namespace gdbench::stats
