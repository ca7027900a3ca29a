#include "reports/answers/values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "reports/answers/format.h"
#include "reports/answers/rows.h"

namespace gdbench::answers {

using report::Cell;
using report::ScenarioRecord;

ValueWords::ValueWords(const report::Report& report) {
  if (!report.values) return;
  std::unordered_map<std::string, const ScenarioRecord*> scenarios;
  for (const ScenarioRecord& scenario : report.scenarios) {
    if (scenario.side_by_side) scenarios.emplace(scenario.key, &scenario);
  }
  std::unordered_map<std::string, const Cell*> cells;
  for (const Cell& cell : report.cells) {
    if (cell.summary && scenarios.contains(cell.scenario)) cells.emplace(cell.id, &cell);
  }
  for (const report::ValueComparison& values : *report.values) {
    const auto cell = cells.find(values.cell);
    const auto first = cells.find(values.first);
    if (cell == cells.end() || first == cells.end()) continue;
    compared_.push_back(
        {&values, first->second, scenarios.at(cell->second->scenario), scenarios.at(first->second->scenario)});
  }
}

std::string ValueWords::Compared::setting_of(const ScenarioRecord& record) const {
  const auto value = record.side_by_side->values.find(values->key);
  return values->key + "=" + (value == record.side_by_side->values.end() ? "" : value->second);
}

std::string ValueWords::Compared::work_words() const {
  return values->operations_ratio ? format_factor(*values->operations_ratio) + " the operations" : "";
}

// Of comparisons with one other value.
document::Column ValueWords::column_of(const std::vector<const Cell*>& rows, const std::vector<Compared>& compared) {
  const std::string work = compared.front().work_words();
  document::Column column{.title = compared.front().setting_of(*compared.front().scenario), .texts = {}};
  if (!work.empty()) column.title += " (" + work + ")";
  for (const Cell* row : rows) {
    const auto one = std::ranges::find(compared, row, &Compared::first);
    const stats::Comparison comparison = one == compared.end() ? stats::Comparison() : one->values->comparison;
    column.texts.push_back(one == compared.end() ? "-"
                                                 : format_ratio(comparison.ratio) + process_mark(comparison.ratio) +
                                                       " " + stats::name_of(comparison.verdict));
    column.styles.push_back(style_of_verdict(comparison.verdict));
  }
  return column;
}

std::vector<TitledTable> ValueWords::of_scenario(const std::string& key) const {
  std::map<std::string, std::map<const ScenarioRecord*, std::vector<Compared>>> by_key;
  std::map<std::string, std::vector<const Cell*>> rows_by_key;
  for (const Compared& one : compared_) {
    if (one.first_scenario->key != key) continue;
    by_key[one.values->key][one.scenario].push_back(one);
    std::vector<const Cell*>& rows = rows_by_key[one.values->key];
    if (std::ranges::find(rows, one.first) == rows.end()) rows.push_back(one.first);
  }
  std::vector<TitledTable> tables;
  for (const auto& [name, others] : by_key) {
    std::vector<const Cell*>& rows = rows_by_key[name];
    std::ranges::stable_sort(rows, {}, [](const Cell* cell) { return cell->summary->step_ns.value; });
    const Compared& any = others.begin()->second.front();
    Columns table = {left("implementation"), right(any.setting_of(*any.first_scenario))};
    for (const Cell* row : rows) {
      const stats::Estimate& step = row->summary->step_ns;
      add_row(table, {row_name(*row), format_duration_ns(step.value) + process_mark(step)});
    }
    for (const auto& [scenario, compared] : others) {
      table.push_back(column_of(rows, compared));
      table.back().rank = static_cast<int>(table.size());  // the last ones are left out first
    }
    tables.push_back({"values of " + name + ", side by side", std::move(table)});
  }
  return tables;
}

std::string ValueWords::sentence(const Overview& overview) const {
  std::unordered_map<std::string, const OverviewRow*> rows;  // by the id of a ranked cell
  for (const OverviewRow& row : overview.rows) {
    for (const Cell* cell : row.ranked) rows.emplace(cell->id, &row);
  }
  std::map<std::pair<const ScenarioRecord*, const ScenarioRecord*>, std::vector<Compared>> pairs;  // first, other
  for (const Compared& one : compared_) {
    if (rows.contains(one.values->cell) && rows.contains(one.first->id))
      pairs[{one.first_scenario, one.scenario}].push_back(one);
  }
  if (pairs.empty()) return "";
  const std::vector<Compared>* farthest = nullptr;
  double distance = -1;
  for (auto& [scenarios, compared] : pairs) {
    std::ranges::stable_sort(compared, {}, [](const Compared& one) { return one.first->summary->step_ns.value; });
    const double own = std::abs(std::log(compared.front().values->comparison.ratio.value));
    if (own > distance) farthest = &compared;
    distance = std::max(distance, own);
  }
  const Compared& fastest = farthest->front();
  std::string text = fastest.setting_of(*fastest.scenario) + " takes " +
                     format_ratio(fastest.values->comparison.ratio) + " the time of " +
                     fastest.setting_of(*fastest.first_scenario) + " in " + row_name(*fastest.first);
  const auto other = std::ranges::find_if(
      *farthest, [&](const Compared& one) { return kind_of(*one.first, "") != kind_of(*fastest.first, ""); });
  if (other != farthest->end())
    text += ", " + format_ratio(other->values->comparison.ratio) + " in " + row_name(*other->first);
  if (const std::string work = fastest.work_words(); !work.empty()) text += ", for " + work;
  const bool is_one_row = pairs.begin()->first.first == pairs.rbegin()->first.first;
  if (!is_one_row) text += " (" + rows.at(fastest.first->id)->brief + ")";
  if (pairs.size() == 1) return text + ".";
  return "Of " + counted(pairs.size(), "pair") + " of values the farthest apart: " + text + ".";
}

}  // namespace gdbench::answers
