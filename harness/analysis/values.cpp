#include "harness/analysis/values.h"

#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/abi/catalogue.h"
#include "harness/analysis/verdicts.h"

namespace gdbench::analysis {

namespace {

using Settings = std::map<std::string, std::string>;

// The first scenario of a cell's launches, the values of its own, and what else tells it from others.
using Key = std::tuple<std::string, Settings, std::string, Settings, int, std::string>;

Key key_of(const report::Cell& cell, const report::SideBySide& scenario, const Settings& values) {
  Settings options = cell.options;
  options.erase(name_of(catalogue::Capability::epsilon_place));  // says what its optimizer is, which is no option
  return {scenario.first, values, cell.implementation, std::move(options), cell.threads, cell.arm};
}

std::optional<double> operations_ratio(const report::ScenarioRecord& scenario, const report::ScenarioRecord& first) {
  const double ratio = scenario.operations_per_step / first.operations_per_step;
  return std::isfinite(ratio) && ratio > 0 && ratio != 1 ? std::optional(ratio) : std::nullopt;
}

}  // namespace

std::vector<report::ValueComparison> value_comparisons_of(const report::Report& report) {
  std::unordered_map<std::string, const report::ScenarioRecord*> scenarios;  // by key
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    if (scenario.side_by_side) scenarios.emplace(scenario.key, &scenario);
  }
  std::vector<std::pair<const report::Cell*, const report::ScenarioRecord*>> cells;
  std::map<Key, const report::Cell*> by_key;
  for (const report::Cell& cell : report.cells) {
    const auto scenario = scenarios.find(cell.scenario);
    if (scenario == scenarios.end() || !cell.summary || cell.arm == report::kControlArm) continue;
    const report::SideBySide& own = *scenario->second->side_by_side;
    cells.emplace_back(&cell, scenario->second);
    by_key.emplace(key_of(cell, own, own.values), &cell);
  }
  const Comparer comparer(report);
  std::vector<report::ValueComparison> rows;
  for (const auto& [cell, scenario] : cells) {
    const report::SideBySide& own = *scenario->side_by_side;
    const auto first_scenario = scenarios.find(own.first);
    if (first_scenario == scenarios.end()) continue;
    for (const auto& [key, value] : first_scenario->second->side_by_side->values) {
      Settings values = own.values;
      if (std::exchange(values[key], value) == value) continue;
      const auto first = by_key.find(key_of(*cell, own, values));
      if (first == by_key.end()) continue;
      const report::Cell& found = *first->second;
      stats::Comparison comparison = comparer.compare(found, *cell);
      if (comparison.ratio.launches == 0) continue;
      rows.push_back(
          {cell->id, found.id, key, std::move(comparison), operations_ratio(*scenario, *scenarios.at(found.scenario))});
    }
  }
  return rows;
}

}  // namespace gdbench::analysis
