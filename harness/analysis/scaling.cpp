#include "harness/analysis/scaling.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/abi/catalogue.h"
#include "harness/analysis/verdicts.h"

namespace gdbench::analysis {

namespace {

using Options = std::map<std::string, std::string>;

bool takes_part(const report::Cell& cell) {
  return cell.arm != report::kControlArm && cell.summary && !cell.summary->not_ranked;
}

// Exact: the estimate of exchanged pairs is this one turned over.
stats::Estimate inverse_of(stats::Estimate ratio) {
  ratio.value = 1 / ratio.value;
  ratio.interval = {1 / ratio.interval.high, 1 / ratio.interval.low};
  return ratio;
}

stats::Estimate divided(stats::Estimate estimate, double by) {
  estimate.value /= by;
  estimate.interval = {estimate.interval.low / by, estimate.interval.high / by};
  return estimate;
}

report::ThreadScaling scaling_of(const Comparer& comparer, const report::Cell& single, const report::Cell& cell) {
  report::ThreadScaling scaling;
  scaling.cell = cell.id;
  scaling.single = single.id;
  Compared compared = comparer.steps(single, cell);
  if (compared.pairs.empty()) return scaling;
  const stats::Comparison comparison = comparer.compare(single, cell);
  scaling.verdict = comparison.verdict;
  scaling.speed_up = inverse_of(comparison.ratio);
  scaling.efficiency = divided(scaling.speed_up, cell.processors());
  compared.scale(1.0 / cell.processors(), 1);
  scaling.undivided_ns = compared.difference();
  return scaling;
}

// Marks the row of the shortest single among those of one implementation, its options, processors and arm.
void mark_smallest(const std::unordered_map<std::string, const report::Cell*>& cells,
                   std::vector<report::ThreadScaling>& rows) {
  std::map<std::tuple<std::string, Options, int, std::string>, std::pair<double, report::ThreadScaling*>> smallest;
  for (report::ThreadScaling& row : rows) {
    const report::Cell& cell = *cells.at(row.cell);
    const double single_ns = cells.at(row.single)->summary->step_ns.value;
    const auto [found, fresh] =
        smallest.try_emplace({cell.implementation, cell.options, cell.processors(), cell.arm}, single_ns, &row);
    if (!fresh && single_ns < found->second.first) found->second = {single_ns, &row};
  }
  for (const auto& [key, entry] : smallest) entry.second->smallest = true;
}

}  // namespace

std::vector<report::ThreadScaling> thread_scaling_of(const report::Report& report) {
  std::map<std::tuple<std::string, std::string, Options, std::string>, const report::Cell*> singles;
  std::unordered_map<std::string, const report::Cell*> cells;
  const auto key_of = [](const report::Cell& cell) {
    Options options = cell.options;
    options.erase(catalogue::kRanksOption);
    return std::tuple(cell.scenario, cell.implementation, std::move(options), cell.arm);
  };
  for (const report::Cell& cell : report.cells) {
    if (!takes_part(cell)) continue;
    cells.emplace(cell.id, &cell);
    if (cell.processors() == 1) singles.emplace(key_of(cell), &cell);
  }
  const Comparer comparer(report);
  std::vector<report::ThreadScaling> rows;
  for (const report::Cell& cell : report.cells) {
    if (cell.processors() == 1 || !takes_part(cell)) continue;
    const auto single = singles.find(key_of(cell));
    if (single == singles.end()) continue;
    report::ThreadScaling row = scaling_of(comparer, *single->second, cell);
    if (row.speed_up.launches > 0) rows.push_back(std::move(row));
  }
  mark_smallest(cells, rows);
  return rows;
}

}  // namespace gdbench::analysis
