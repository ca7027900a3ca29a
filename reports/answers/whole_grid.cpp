#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/ranking.h"
#include "reports/answers/report_charts.h"

namespace gdbench::answers {

namespace {

using report::Cell;
using report::CellState;

// More scenarios than these, if they are more than implementations, have rows; else implementations do.
constexpr std::size_t kMostScenarioColumns = 12;
// Ratios to the fastest, up to which a place has the shades 1, 2 and 3; 4 beyond.
constexpr double kShades[] = {1.5, 4, 16};

struct GridPlace {
  std::string figure{};  // "81.4 us"
  std::string words{};   // "wins"
  int shade = -1;
};

// An implementation with its options and threads.
struct GridLine {
  std::string label{};
  report::ImplementationName name{};
  std::map<std::string, GridPlace> places{};  // by scenario
  bool timed = false;
  double logarithms = 0;  // of its ratios to the fastest of scenarios where it is ranked
  int ranked = 0;         // in so many scenarios

  double mean() const { return ranked > 0 ? logarithms / ranked : std::numeric_limits<double>::infinity(); }
  GridPlace place(const std::string& scenario) const {
    const auto found = places.find(scenario);
    return found == places.end() ? GridPlace() : found->second;
  }
};

GridPlace timed_place(const Cell& cell, const Ranking& ranking) {
  GridPlace place{.figure = format_duration_ns(cell.summary->step_ns.value), .words = "not ranked"};
  if (!report::is_ranked(cell) || ranking.fastest == nullptr) return place;
  if (&cell == ranking.fastest) {
    place.shade = 0;
    place.words = ranking.won() ? "\u2605 wins" : ranking.tied.empty() ? "\u2606 fastest" : "= ties";
    return place;
  }
  const stats::Estimate& ratio = ranking.ratios.at(&cell);
  if (ranking.ties(cell)) {
    place.shade = 0;
    place.words = "= ties";
  } else if (ratio.launches == 0) {
    place.words = "not compared";
  } else {
    place.shade = 1;
    for (const double limit : kShades) place.shade += ratio.value > limit ? 1 : 0;
    place.words = "\u25BC " + format_factor(ratio.value);
  }
  return place;
}

// Those that are fastest over all scenarios first, those without a rank behind them, those without a time last.
std::vector<GridLine> lines_of(const std::vector<ScenarioTable>& tables) {
  std::map<std::string, GridLine> lines;
  const auto line_of = [&](const Cell& cell) -> GridLine& {
    GridLine& line = lines[row_name(cell)];
    line.label = row_name(cell);
    line.name = report::parse_implementation(cell.implementation);
    return line;
  };
  for (const ScenarioTable& table : tables) {
    const Ranking& ranking = table.ranking;
    for (const auto* timed : {&table.ranked, &table.unranked}) {
      for (const Row& row : *timed) {
        GridLine& line = line_of(*row.cell);
        line.timed = true;
        line.places[table.scenario->key] = timed_place(*row.cell, ranking);
        if (!report::is_ranked(*row.cell)) continue;
        line.logarithms += std::log(row.cell->summary->step_ns.value / ranking.fastest->summary->step_ns.value);
        ++line.ranked;
      }
    }
    for (const Row& row : table.untimed) {
      const CellState state = row.cell->status.state;
      line_of(*row.cell).places[table.scenario->key] = {
          .words = std::string(report::is_failure(state) ? "\u2715 " : "\u2013 ") + name_of(state)};
    }
  }
  std::vector<GridLine> sorted;
  for (auto& [name, line] : lines) sorted.push_back(std::move(line));
  std::ranges::stable_sort(sorted, {}, [](const GridLine& line) { return std::pair(!line.timed, line.mean()); });
  return sorted;
}

// With a row for each scenario and a column for each implementation, or the other way round.
document::Columns columns_of(const std::vector<GridLine>& lines, const std::vector<ScenarioTable>& tables,
                             bool scenarios_go_down) {
  std::vector<std::string> down;
  std::vector<std::string> across;
  for (const GridLine& line : lines) (scenarios_go_down ? across : down).push_back(line.label);
  for (const ScenarioTable& table : tables) (scenarios_go_down ? down : across).push_back(table.scenario->label);
  document::Columns columns = {{.title = scenarios_go_down ? "scenario" : "implementation", .texts = down}};
  for (std::size_t i = 0; i < across.size(); ++i) {
    document::Column& column = columns.emplace_back(document::Column{.title = across[i]});
    for (std::size_t k = 0; k < down.size(); ++k) {
      const GridLine& line = lines[scenarios_go_down ? i : k];
      const GridPlace place = line.place(tables[scenarios_go_down ? k : i].scenario->key);
      column.texts.push_back(place.figure);
      column.notes.push_back(place.words);
      column.shades.push_back(place.shade);
    }
  }
  return columns;
}

std::vector<document::Filter> filters_of(const std::vector<GridLine>& lines) {
  std::vector<document::Filter> filters = {{.label = "Strategy or framework", .values = {}},
                                           {.label = "Backend", .values = {}},
                                           {.label = "Policy", .values = {}}};
  for (const GridLine& line : lines) {
    filters[0].values.push_back(line.name.strategy);
    filters[1].values.push_back(line.name.backend);
    filters[2].values.push_back(line.name.policy.empty() ? "none" : line.name.policy);
  }
  return filters;
}

}  // namespace

document::Blocks whole_grid(const std::vector<ScenarioTable>& tables) {
  document::Blocks blocks;
  std::vector<GridLine> lines = lines_of(tables);
  std::vector<std::string> untimed;
  for (; !lines.empty() && !lines.back().timed; lines.pop_back()) untimed.push_back(lines.back().label);
  const char* const title = "Time per step, and how many times that of the scenario's fastest";
  if (tables.size() > std::max(kMostScenarioColumns, lines.size())) {
    blocks.table(title, columns_of(lines, tables, true));
  } else {
    blocks.table(title, columns_of(lines, tables, false), filters_of(lines));
  }
  if (!untimed.empty()) {
    blocks.paragraph("Without a time in any scenario: " + joined(untimed) + ".", Style::dim);
  }
  return blocks;
}

}  // namespace gdbench::answers
