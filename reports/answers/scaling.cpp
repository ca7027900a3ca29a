#include "reports/answers/scaling.h"

#include "reports/answers/format.h"
#include "reports/answers/rows.h"

namespace gdbench::answers {

ScalingWords::ScalingWords(const report::Report& report) {
  if (!report.scaling) return;
  std::unordered_map<std::string, const report::Cell*> cells;
  for (const report::Cell& cell : report.cells) cells.emplace(cell.id, &cell);
  for (const report::ThreadScaling& scaling : *report.scaling) {
    const auto cell = cells.find(scaling.cell);
    const auto single = cells.find(scaling.single);
    if (cell == cells.end() || !cell->second->summary) continue;
    scenarios_[cell->second->scenario].push_back(rows_.size());
    rows_.push_back({&scaling, cell->second, single == cells.end() ? nullptr : single->second,
                     report.find_scenario(cell->second->scenario)});
  }
}

std::vector<ScalingRow> ScalingWords::rows_of(const std::string& key) const {
  std::vector<ScalingRow> rows;
  const auto found = scenarios_.find(key);
  if (found == scenarios_.end()) return rows;
  for (const std::size_t index : found->second) rows.push_back(rows_[index]);
  return rows;
}

Columns ScalingWords::of_scenario(const std::string& key) const {
  Columns table = {left("implementation"), left("speed-up, 95%"), right("efficiency", 1),
                   left("of ceiling", 3),  right("undivided", 2), left("verdict", 1)};
  for (const ScalingRow& row : rows_of(key)) {
    const report::ThreadScaling& scaling = *row.scaling;
    add_row(table, {row_name(*row.cell), format_ratio(scaling.speed_up) + process_mark(scaling.speed_up),
                    format_percent(scaling.efficiency.value), ceiling_words(*row.cell),
                    format_difference_ns(scaling.undivided_ns), stats::name_of(scaling.verdict)});
    table.back().styles.push_back(style_of_verdict(scaling.verdict));
  }
  return table;
}

Columns ScalingWords::costs() const {
  Columns table = {left("implementation"), right("per step"), left("in", 1)};
  for (const ScalingRow& row : rows_) {
    if (!row.scaling->smallest) continue;
    const stats::Estimate& cost = row.scaling->undivided_ns;
    add_row(table, {row_name(*row.cell), format_difference_ns(cost) + process_mark(cost), row.scenario->label});
  }
  return table;
}

}  // namespace gdbench::answers
