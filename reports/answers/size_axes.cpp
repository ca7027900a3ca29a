#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "reports/answers/format.h"
#include "reports/answers/labels.h"
#include "reports/answers/report_charts.h"

namespace gdbench::answers {

namespace {

constexpr std::size_t kLeastScenarios = 3;  // of a figure over operations

std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value > 0)) return std::nullopt;
  return value;
}

// Of what a record says itself, where the label does not or says it in a word ("full"), too.
std::optional<double> value_of(const report::ScenarioRecord& scenario, const std::string& quantity,
                               const Overrides& overrides) {
  if (quantity == "rows") return static_cast<double>(scenario.rows);
  if (quantity == "batch") return static_cast<double>(scenario.batch_rows);
  if (quantity == "width" && !scenario.resolved.layers.empty()) {
    return static_cast<double>(scenario.resolved.layers.front().width);
  }
  const auto found = overrides.find(quantity);
  return found == overrides.end() ? std::nullopt : number_in(found->second);
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
    for (const auto& [key, value] : overrides_of_label(table.scenario->label)) {
      if (!key.ends_with("seed")) quantities[table.scenario->name].insert(key);
    }
  }
  std::vector<SizeAxis> axes;
  for (const ScenarioTable& table : tables) {
    const report::ScenarioRecord& scenario = *table.scenario;
    for (const std::string& quantity : quantities[scenario.name]) {
      Overrides others = overrides_of_label(scenario.label);
      const std::optional<double> value = value_of(scenario, quantity, others);
      if (!value) continue;
      others.erase(quantity);
      const std::string rest = label_of(scenario.name, others);
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

Overrides overrides_of_label(const std::string& label) {
  Overrides overrides;
  std::istringstream list(overrides_of(label));
  for (std::string one; std::getline(list, one, ',');) {
    const std::size_t sign = one.find('=');
    if (sign != std::string::npos) overrides[one.substr(0, sign)] = one.substr(sign + 1);
  }
  return overrides;
}

std::string label_of(const std::string& name, const Overrides& overrides) {
  std::string text;
  for (const auto& [key, value] : overrides) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text.empty() ? name : name + "[" + text + "]";
}

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
