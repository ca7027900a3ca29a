#include "reports/answers/rows.h"

#include <algorithm>
#include <unordered_map>

#include "reports/answers/format.h"

namespace gdbench::answers {

using report::Cell;

bool Row::is_baseline() const {
  if (!timed() || cell->summary->ratio) return false;
  return std::ranges::any_of(report->cells, [this](const Cell& other) {
    return other.summary && other.summary->ratio && other.summary->ratio->baseline == cell->id;
  });
}

std::string options_of(const Cell& cell) {
  std::string text;
  for (const auto& [key, value] : cell.options) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

std::vector<ScenarioTable> tables_of(const report::Report& report) {
  std::vector<ScenarioTable> tables;
  std::unordered_map<std::string, std::size_t> positions;
  for (const report::ScenarioRecord& scenario : report.scenarios) {
    if (positions.emplace(scenario.key, tables.size()).second) tables.push_back({&scenario, {}, {}, {}, {}, {}});
  }
  for (const Cell& cell : report.cells) {
    const auto position = positions.find(cell.scenario);
    if (position == positions.end()) continue;  // from_json refuses such a report
    ScenarioTable& table = tables[position->second];
    const Row row{&report, table.scenario, &cell};
    if (cell.arm == report::kControlArm) {
      if (row.timed()) table.controls.push_back(row);
      continue;
    }
    (!row.timed() ? table.untimed : report::is_ranked(cell) ? table.ranked : table.unranked).push_back(row);
  }
  std::erase_if(tables, [](const ScenarioTable& table) {
    return table.ranked.empty() && table.unranked.empty() && table.untimed.empty();
  });
  const auto time = [](const Row& row) { return row.cell->summary->step_ns.value; };
  const analysis::Comparer comparer(report);
  for (ScenarioTable& table : tables) {
    std::ranges::stable_sort(table.ranked, {}, time);
    std::ranges::stable_sort(table.unranked, {}, time);
    std::vector<const Cell*> ranked;
    for (const Row& row : table.ranked) ranked.push_back(row.cell);
    table.ranking = ranking_of(std::move(ranked), comparer);
  }
  return tables;
}

std::vector<Row> timed_rows(const ScenarioTable& table) {
  std::vector<Row> rows = table.ranked;
  rows.insert(rows.end(), table.unranked.begin(), table.unranked.end());
  return rows;
}

std::vector<Row> all_rows(const ScenarioTable& table) {
  std::vector<Row> rows = timed_rows(table);
  rows.insert(rows.end(), table.untimed.begin(), table.untimed.end());
  return rows;
}

std::string row_name(const Cell& cell) {
  std::string name = cell.implementation;
  if (!cell.options.empty()) name.append(" ").append(options_of(cell));
  if (cell.threads != 1) name.append(" @").append(std::to_string(cell.threads));
  if (cell.arm != report::kNewArm) name.append(" #").append(cell.arm);
  return name;
}

namespace {

const char* operations_words(const report::CeilingShare& ceiling) {
  const double functions_ns = ceiling.functions_ns.value_or(0);
  const double roots_ns = ceiling.roots_ns.value_or(0);
  const double products_ns = ceiling.operations_ns - functions_ns - roots_ns;
  if (products_ns >= std::max(functions_ns, roots_ns)) return "fma";
  return functions_ns >= roots_ns ? "exp" : "div";
}

}  // namespace

std::string bound_words(const report::CeilingShare& ceiling) {
  switch (ceiling.bound_by) {
    case report::BoundBy::operations:
      return operations_words(ceiling);
    case report::BoundBy::bytes:
      return ceiling.level;
    case report::BoundBy::chain:
      return "chain";
  }
  return "";
}

std::string ceiling_words(const Cell& cell) {
  const std::optional<report::CeilingShare>& ceiling = cell.summary->ceiling;
  if (!ceiling) return "-";
  return format_percent(ceiling->share) + " " + bound_words(*ceiling) + (ceiling->failed ? " !" : "");
}

std::vector<UntimedRows> untimed_groups(const std::vector<Row>& rows) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::pair<std::string, UntimedRows>> groups;  // by reason
  for (const Row& row : rows) {
    UntimedRows& group = entry_of(groups, reason_of(*row.cell));
    group.names.push_back(row_name(*row.cell));
    group.cell = row.cell;
  }
  std::vector<UntimedRows> shown;
  for (const auto& [reason, group] : groups) {
    if (group.names.size() >= kFewest) {
      shown.push_back(group);
    } else {
      for (const std::string& name : group.names) shown.push_back({{name}, group.cell});
    }
  }
  return shown;
}

std::string reason_of(const Cell& cell) {
  return cell.status.state == report::CellState::ok ? "ok: not timed" : report::words_of(cell.status);
}

bool tells_of_data(const Cell& cell) {
  constexpr double kSmallShare = 0.005;
  constexpr double kSmallNs = 100;  // of which the profile's own clock readings are a good part
  if (!cell.profile) return false;
  const double share = report::data_share(*cell.profile);
  return share >= kSmallShare && share * cell.profile->profiled_step_ns >= kSmallNs;
}

bool any_within_one_process(const ScenarioTable& table) {
  return std::ranges::any_of(timed_rows(table),
                             [](const Row& row) { return row.cell->summary->step_ns.within_one_process; });
}

std::string process_mark(const stats::Estimate& estimate) {
  return estimate.within_one_process ? std::string(" ") + kOneProcessMark : "";
}

}  // namespace gdbench::answers
