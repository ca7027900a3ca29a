#include "harness/analysis/cost_fit.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/analysis/pairing.h"
#include "harness/stats/linear_fit.h"

namespace gdbench::analysis {

namespace {

// Of different sizes: three coefficients and at least one degree of freedom.
constexpr std::size_t kMinScenarios = 4;

// Of stats::Coefficients.
constexpr std::size_t kStep = 0;
constexpr std::size_t kCall = 1;
constexpr std::size_t kOperation = 2;

// Cells of one implementation over the scenarios.
struct Series {
  report::CostFit fit;
  bool arithmetic = false;
  std::vector<stats::ClusteredPoint> points;
  std::set<std::pair<double, double>> sizes;  // calls and operations
};

std::vector<double> launch_times(const report::Cell& cell) {
  std::vector<double> times;
  for (const auto& [launch, values] : times_by_launch(cell)) {
    times.push_back(*std::min_element(values.begin(), values.end()));
  }
  return times;
}

// In the order in which the report first names them.
std::vector<Series> series_of(const report::Report& report) {
  std::vector<Series> all;
  std::map<std::tuple<std::string, std::string, int, std::string>, std::size_t> positions;
  for (const report::Cell& cell : report.cells) {
    const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
    if (!cell.summary || !cell.profile || !cell.options.empty() || scenario == nullptr) continue;
    const std::string dtype = scenario->resolved.dtype_name();
    const auto [position, fresh] =
        positions.try_emplace({cell.implementation, dtype, cell.threads, cell.arm}, all.size());
    if (fresh) {
      all.emplace_back();
      all.back().fit.implementation = cell.implementation;
      all.back().fit.dtype = dtype;
      all.back().fit.threads = cell.threads;
      all.back().fit.arm = cell.arm;
    }
    Series& series = all[position->second];
    const double calls = report::calls_per_step(*cell.profile);
    series.arithmetic = series.arithmetic || cell.verification.has_value();
    series.points.push_back({{1, calls, scenario->operations_per_step}, launch_times(cell)});
    series.sizes.emplace(calls, scenario->operations_per_step);
  }
  return all;
}

// The columns that can be told apart; the constant stays where calls do not vary.
stats::Columns columns_of(const Series& series) {
  std::vector<stats::FitPoint> points;
  for (const stats::ClusteredPoint& point : series.points)
    points.push_back({point.x, stats::median(point.launch_times)});
  stats::Columns columns{};
  columns[kStep] = columns[kCall] = true;
  columns[kOperation] = series.arithmetic;
  if (!stats::separable(points, columns)) columns[kCall] = false;
  return columns;
}

// As the report's keys name them.
std::vector<std::string> names_at_bound(const stats::Columns& at_bound) {
  std::vector<std::string> names;
  if (at_bound[kStep]) names.emplace_back("step_ns");
  if (at_bound[kCall]) names.emplace_back("call_ns");
  if (at_bound[kOperation]) names.emplace_back("operation_ns");
  return names;
}

}  // namespace

std::vector<report::CostFit> cost_fits_of(const report::Report& report, const stats::BootstrapOptions& options) {
  std::vector<report::CostFit> fits;
  for (Series& series : series_of(report)) {
    if (series.sizes.size() < kMinScenarios) continue;
    const std::optional<stats::ClusteredFit> fitted = stats::clustered_fit(series.points, columns_of(series), options);
    if (!fitted) continue;
    series.fit.scenarios = static_cast<int>(series.points.size());
    series.fit.step_ns = fitted->coefficients[kStep];
    series.fit.call_ns = fitted->coefficients[kCall];
    series.fit.operation_ns = fitted->coefficients[kOperation];
    series.fit.at_bound = names_at_bound(fitted->at_bound);
    series.fit.largest_relative_residual = fitted->largest_relative_residual;
    fits.push_back(std::move(series.fit));
  }
  return fits;
}

}  // namespace gdbench::analysis
