// How implementations stand to each other over all scenarios: as a grid, and as a figure.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/report_charts.h"
#include "reports/answers/scenario_charts.h"

namespace gdbench::answers {

namespace {

using report::Cell;

// More scenarios than these, if they are more than implementations, have rows; else implementations do.
constexpr std::size_t kMostScenarioColumns = 12;
// Ratios to the fastest, up to which a place has the shades 1, 2 and 3; 4 beyond.
constexpr double kShades[] = {1.5, 4, 16};
constexpr std::size_t kMostRelativeRows = 16;  // those that are fastest on the average

struct GridPlace {
  std::string figure{};  // "81.4 us"
  std::string words{};   // "wins"
  int shade = -1;
};

// An implementation with its options and threads.
struct ImplementationTimes {
  const Cell* cell = nullptr;                 // any of its own
  std::map<std::string, GridPlace> places{};  // by scenario
  bool timed = false;
  std::vector<stats::Estimate> ratios{};  // to the fastest of each scenario that ranks it among others

  double mean() const {  // geometric
    if (ratios.empty()) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const stats::Estimate& ratio : ratios) sum += std::log(ratio.value);
    return std::exp(sum / static_cast<double>(ratios.size()));
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
std::vector<ImplementationTimes> times_of_all(const std::vector<ScenarioTable>& tables) {
  std::map<std::string, ImplementationTimes> by_name;
  const auto times_of = [&](const Cell& cell) -> ImplementationTimes& {
    ImplementationTimes& times = by_name[row_name(cell)];
    times.cell = &cell;
    return times;
  };
  for (const ScenarioTable& table : tables) {
    const Ranking& ranking = table.ranking;
    for (const Row& row : timed_rows(table)) {
      ImplementationTimes& times = times_of(*row.cell);
      times.timed = true;
      times.places[table.scenario->key] = timed_place(*row.cell, ranking);
      if (table.ranked.size() < 2 || !report::is_ranked(*row.cell)) continue;
      const auto ratio = ranking.ratios.find(row.cell);
      if (ratio == ranking.ratios.end()) times.ratios.push_back({.value = 1, .interval = {1, 1}});
      if (ratio != ranking.ratios.end() && ratio->second.launches > 0) times.ratios.push_back(ratio->second);
    }
    for (const Row& row : table.untimed) {
      const report::CellState state = row.cell->status.state;
      times_of(*row.cell).places[table.scenario->key] = {
          .words = std::string(report::is_failure(state) ? "\u2715 " : "\u2013 ") + name_of(state)};
    }
  }
  std::vector<ImplementationTimes> sorted;
  for (auto& [name, times] : by_name) sorted.push_back(std::move(times));
  std::ranges::stable_sort(sorted, {},
                           [](const ImplementationTimes& one) { return std::pair(!one.timed, one.mean()); });
  return sorted;
}

// With a row for each scenario and a column for each implementation, or the other way round.
Columns columns_of(const std::vector<ImplementationTimes>& all, const std::vector<ScenarioTable>& tables,
                   bool scenarios_go_down) {
  std::vector<std::string> down;
  std::vector<std::string> across;
  for (const ImplementationTimes& times : all) (scenarios_go_down ? across : down).push_back(row_name(*times.cell));
  for (const ScenarioTable& table : tables) (scenarios_go_down ? down : across).push_back(table.scenario->label);
  Columns columns = {left(scenarios_go_down ? "scenario" : "implementation")};
  columns.front().texts = down;
  for (std::size_t i = 0; i < across.size(); ++i) {
    document::Column& column = columns.emplace_back(left(across[i]));
    for (std::size_t k = 0; k < down.size(); ++k) {
      const ImplementationTimes& times = all[scenarios_go_down ? i : k];
      const auto found = times.places.find(tables[scenarios_go_down ? k : i].scenario->key);
      const GridPlace place = found == times.places.end() ? GridPlace() : found->second;
      column.texts.push_back(place.figure);
      column.notes.push_back(place.words);
      column.shades.push_back(place.shade);
    }
  }
  return columns;
}

std::vector<document::Filter> filters_of(const std::vector<ImplementationTimes>& all) {
  std::vector<document::Filter> filters = {{.label = "Strategy or framework", .values = {}},
                                           {.label = "Backend", .values = {}},
                                           {.label = "Policy", .values = {}}};
  for (const ImplementationTimes& times : all) {
    const report::ImplementationName name = report::parse_implementation(times.cell->implementation);
    filters[0].values.push_back(name.strategy);
    filters[1].values.push_back(name.backend);
    filters[2].values.push_back(name.policy.empty() ? "none" : name.policy);
  }
  return filters;
}

}  // namespace

Blocks whole_grid(const std::vector<ScenarioTable>& tables) {
  Blocks blocks;
  std::vector<ImplementationTimes> all = times_of_all(tables);
  std::vector<std::string> untimed;
  for (; !all.empty() && !all.back().timed; all.pop_back()) {
    untimed.push_back(row_name(*all.back().cell));
  }
  const bool scenarios_go_down = tables.size() > std::max(kMostScenarioColumns, all.size());
  blocks.table("Time per step, and how many times that of the scenario's fastest",
               columns_of(all, tables, scenarios_go_down),
               scenarios_go_down ? std::vector<document::Filter>() : filters_of(all));
  if (untimed.empty()) return blocks;
  return blocks.paragraph("Without a time in any scenario: " + joined(untimed) + ".", Style::dim);
}

Figures relative_times(const std::vector<ScenarioTable>& tables, document::Hues& hues) {
  std::vector<ImplementationTimes> all = times_of_all(tables);
  std::erase_if(all, [](const ImplementationTimes& times) { return times.ratios.empty(); });
  if (all.empty()) return {};
  const auto scenarios = static_cast<std::size_t>(
      std::ranges::count_if(tables, [](const ScenarioTable& table) { return table.ranked.size() > 1; }));
  document::Rows chart{
      .axes = {{.title = "time per step over the fastest's", .text = &format_factor, .logarithmic = true}}, .line = 1};
  Columns data = {left("implementation"), right("over the fastest"), right("scenarios")};
  for (const ImplementationTimes& times : all) {
    if (chart.rows.size() == kMostRelativeRows) break;
    const std::size_t count = times.ratios.size();
    const std::string missing = count < scenarios ? " (" + std::to_string(count) + ")" : "";
    const stats::Estimate& last = times.ratios.back();
    document::Measure measure{.value = times.mean()};
    if (scenarios == 1 && last.launches > 0) measure.interval = last.interval;
    add_row(data, {row_name(*times.cell), measure.interval ? format_ratio(last) : format_factor(measure.value),
                   std::to_string(count)});
    document::BarRow& row = chart.rows.emplace_back(document::BarRow{.label = row_name(*times.cell),
                                                                     .look = look_of(hues, *times.cell),
                                                                     .measures = {measure},
                                                                     .figure = format_factor(measure.value) + missing});
    for (const stats::Estimate& ratio : times.ratios) {
      if (count > 1) row.dots.push_back(ratio.value);
    }
  }
  std::string sentence = "Times over that of the fastest implementation, with their 95% intervals.";
  if (scenarios > 1) {
    sentence =
        "Times over those of the fastest implementation of each scenario: a dot is a scenario, the mark the "
        "geometric mean of " +
        counted(scenarios, "scenario") + ", or of so many as stand in brackets.";
  }
  if (all.size() > kMostRelativeRows) {
    sentence += " " + counted(all.size() - kMostRelativeRows, "slower implementation") + " are in the grid alone.";
  }
  return {{.title = "Times relative to the fastest",
           .sentence = std::move(sentence),
           .chart = std::move(chart),
           .data = std::move(data)}};
}

}  // namespace gdbench::answers
