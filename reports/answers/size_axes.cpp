#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/labels.h"
#include "reports/answers/report_charts.h"

namespace gdbench::answers {

namespace {

constexpr std::size_t kLeastScenarios = 3;  // of a figure over operations

// Of what a record says itself, where its label does not or says it in a word ("full"), too.
std::optional<double> value_of(const report::ScenarioRecord& scenario, const std::string& quantity) {
  if (quantity == "rows") return static_cast<double>(scenario.rows);
  if (quantity == "batch") return static_cast<double>(scenario.batch_rows);
  if (quantity == "width" && !scenario.resolved.layers.empty()) {
    return static_cast<double>(scenario.resolved.layers.front().width);
  }
  for (const std::string& one : overrides_of(scenario.label)) {
    const std::optional<double> value = number_of<double>(one.substr(one.find('=') + 1));
    if (key_of(one) == quantity && value > 0.0) return value;
  }
  return std::nullopt;
}

std::size_t values_of(const std::vector<SizeAxis::Point>& points) {
  std::set<double> values;
  for (const SizeAxis::Point& point : points) values.insert(point.value);
  return values.size();
}

void sort(std::vector<SizeAxis::Point>& points) { std::ranges::stable_sort(points, {}, &SizeAxis::Point::value); }

// By the quantity and what is left of the label without it.
std::vector<SizeAxis> axes_of_overrides(const std::vector<ScenarioTable>& tables) {
  std::map<std::string, std::set<std::string>> quantities;  // by scenario
  for (const ScenarioTable& table : tables) {
    for (const std::string& one : overrides_of(table.scenario->label)) {
      if (!key_of(one).ends_with("seed")) quantities[table.scenario->name].insert(key_of(one));
    }
  }
  std::vector<SizeAxis> axes;
  for (const ScenarioTable& table : tables) {
    const report::ScenarioRecord& scenario = *table.scenario;
    for (const std::string& quantity : quantities[scenario.name]) {
      const std::optional<double> value = value_of(scenario, quantity);
      if (!value) continue;
      std::vector<std::string> others = overrides_of(scenario.label);
      std::erase_if(others, [&](const std::string& one) { return key_of(one) == quantity; });
      const std::string rest = scenario.name + (others.empty() ? "" : "[" + joined(others, ",") + "]");
      auto axis = std::ranges::find_if(
          axes, [&](const SizeAxis& known) { return known.quantity == quantity && known.rest == rest; });
      if (axis == axes.end()) axis = axes.insert(axis, {quantity, rest, {}});
      axis->points.push_back({*value, &table});
    }
  }
  std::erase_if(axes, [](const SizeAxis& axis) { return values_of(axis.points) < 2; });
  return axes;
}

}  // namespace

std::vector<SizeAxis> axes_of(const std::vector<ScenarioTable>& tables) {
  std::vector<SizeAxis> axes = axes_of_overrides(tables);
  std::set<const ScenarioTable*> shown;
  for (SizeAxis& axis : axes) {
    sort(axis.points);
    for (const SizeAxis::Point& point : axis.points) shown.insert(point.table);
  }
  SizeAxis operations = {"operations", "", {}};
  for (const ScenarioTable& table : tables) {
    const double count = table.scenario->operations_per_step;
    if (count > 0 && !table.ranked.empty() && !shown.contains(&table)) operations.points.push_back({count, &table});
  }
  sort(operations.points);
  if (values_of(operations.points) >= kLeastScenarios) axes.push_back(std::move(operations));
  return axes;
}

}  // namespace gdbench::answers
