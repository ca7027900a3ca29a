#include "harness/analysis/attribution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "harness/analysis/launch_costs.h"
#include "harness/analysis/verdicts.h"
#include "harness/report/report.h"
#include "harness/stats/linear_fit.h"

namespace gdbench::analysis {

namespace {

// The timed cells of one scenario, thread count and arm, without those that used more processors than that.
using Group = std::vector<const report::Cell*>;

// In the report's order.
std::vector<Group> groups_of(const report::Report& report) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> positions;
  for (const report::Cell& cell : report.cells) {
    if (!cell.summary || cell.summary->not_ranked) continue;
    const auto [position, fresh] = positions.emplace(group_of(cell), groups.size());
    if (fresh) groups.emplace_back();
    groups[position->second].push_back(&cell);
  }
  return groups;
}

const report::Cell* find_default(const Group& group, const std::string& implementation) {
  const auto found = std::find_if(group.begin(), group.end(), [&](const report::Cell* cell) {
    return cell->implementation == implementation && cell->options.empty();
  });
  return found == group.end() ? nullptr : *found;
}

std::vector<report::OpDifference> op_differences(const report::Profile& profile, const report::Profile& base) {
  // What differs alike stands in the order of names.
  std::map<std::pair<std::string, std::string>, report::OpDifference> ops;
  const auto at = [&ops](report::Phase phase, const std::string& op) -> report::OpDifference& {
    report::OpDifference& difference = ops[{name_of(phase), op}];
    difference.phase = phase;
    difference.op = op;
    return difference;
  };
  const auto add = [&at](const report::Profile& of, auto calls, auto time_ns) {
    for (const report::ProfileRecord& record : of.records) {
      if (record.once()) continue;
      report::OpDifference& difference = at(record.phase, record.op);
      difference.*calls += record.calls;
      difference.*time_ns += record.time_ns;
    }
    at(report::Phase::other, "unattributed").*time_ns += report::unattributed_ns(of);
  };
  add(profile, &report::OpDifference::calls, &report::OpDifference::time_ns);
  add(base, &report::OpDifference::base_calls, &report::OpDifference::base_time_ns);

  std::vector<report::OpDifference> sorted;
  for (auto& [key, difference] : ops) sorted.push_back(std::move(difference));
  std::stable_sort(sorted.begin(), sorted.end(), [](const report::OpDifference& a, const report::OpDifference& b) {
    return std::abs(a.time_ns - a.base_time_ns) > std::abs(b.time_ns - b.base_time_ns);
  });
  return sorted;
}

// The baseline's strategy where it shares a backend with another one. A baseline without kernels is alone on its
// backend; strategies then stand beside derivatives by hand.
std::string reference_strategy(const report::Report& report) {
  const std::string strategy = report::parse_implementation(report.run.baseline).strategy;
  std::set<std::string> own;
  std::set<std::string> of_others;
  for (const report::Cell& cell : report.cells) {
    const report::ImplementationName name = report::parse_implementation(cell.implementation);
    (name.strategy == strategy ? own : of_others).insert(name.backend);
  }
  const bool shared =
      std::any_of(own.begin(), own.end(), [&](const std::string& backend) { return of_others.contains(backend); });
  return shared ? strategy : "hand";
}

void add_taxes(const std::string& base_strategy, const Comparer& comparer, const Group& group,
               std::vector<report::FrameworkTax>& taxes) {
  for (const report::Cell* cell : group) {
    const report::ImplementationName name = report::parse_implementation(cell->implementation);
    if (name.strategy == base_strategy) continue;
    const report::Cell* base = find_default(group, base_strategy + "/" + name.backend);
    if (base == nullptr) continue;
    report::CellDifference difference = comparer.difference(*base, *cell);
    if (difference.difference_ns.launches == 0) continue;
    const double calls = report::calls_per_step(*cell);
    report::FrameworkTax tax{cell->id, base->id, difference.difference_ns, std::move(difference.comparison), calls,
                             0,        {}};
    if (calls > 0) tax.difference_per_call_ns = tax.difference_ns.value / calls;
    if (cell->profile && base->profile) tax.ops = op_differences(*cell->profile, *base->profile);
    taxes.push_back(std::move(tax));
  }
}

// What each launch of a cell cost.
struct Costs {
  const report::Cell* cell = nullptr;
  std::string backend;
  std::vector<stats::LaunchCost> launches;

  double step_ns() const { return cell->summary->step_ns.value; }
  double ready_ns() const { return cell->summary->ready_ns.value_or(0); }
};

// Pairs that somebody chooses between: of one backend, or with the fastest cell or the baseline in it; and where
// waiting can pay: told to be faster per step, but ready later. Cells that do no arithmetic are no choice, nor are
// those that used more processors than the others.
void add_break_evens(const Group& group, const std::string& baseline, const Comparer& comparer,
                     std::vector<report::BreakEvenRecord>& break_evens) {
  std::vector<Costs> all;
  const report::Cell* fastest = nullptr;
  for (const report::Cell* cell : group) {
    if (report::is_ranked(*cell) &&
        (fastest == nullptr || cell->summary->step_ns.value < fastest->summary->step_ns.value)) {
      fastest = cell;
    }
    if (!cell->verification || cell->summary->not_ranked) continue;
    Costs costs{cell, report::parse_implementation(cell->implementation).backend, launch_costs(*cell)};
    if (!costs.launches.empty()) all.push_back(std::move(costs));
  }
  const report::Cell* base = find_default(group, baseline);
  const auto stands_out = [&](const Costs& costs) { return costs.cell == fastest || costs.cell == base; };
  for (const Costs& candidate : all) {
    for (const Costs& other : all) {
      if (candidate.backend != other.backend && !stands_out(candidate) && !stands_out(other)) continue;
      if (candidate.step_ns() >= other.step_ns() || candidate.ready_ns() <= other.ready_ns()) continue;
      if (comparer.compare(*other.cell, *candidate.cell).verdict != stats::Verdict::faster) continue;
      const double margin = stats::margin_of(comparer.options(candidate.cell->scenario));
      break_evens.push_back(
          {candidate.cell->id, other.cell->id, stats::break_even(candidate.launches, other.launches, margin)});
    }
  }
}

// What a step, a kernel call and an operation of an implementation cost, fitted across scenarios.

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
  for (const auto& [launch, step_ns] : step_by_launch(cell)) times.push_back(step_ns);
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
    const double calls = report::calls_per_step(cell);
    series.arithmetic = series.arithmetic || cell.verification.has_value();
    series.points.push_back({{1, calls, scenario->operations_per_step}, launch_times(cell)});
    series.sizes.emplace(calls, scenario->operations_per_step);
  }
  return all;
}

// The columns that can be distinguished; the constant stays where calls do not vary.
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

}  // namespace

report::Attribution attribution_of(const report::Report& report) {
  report::Attribution attribution;
  const Comparer comparer(report);
  const std::string base_strategy = reference_strategy(report);
  for (const Group& group : groups_of(report)) {
    add_taxes(base_strategy, comparer, group, attribution.taxes);
    add_break_evens(group, report.run.baseline, comparer, attribution.break_evens);
  }
  attribution.fits = cost_fits_of(report, {.seed = report.run.seed});
  return attribution;
}

}  // namespace gdbench::analysis
