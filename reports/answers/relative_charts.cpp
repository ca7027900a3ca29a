#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "reports/answers/format.h"
#include "reports/answers/report_charts.h"
#include "reports/answers/scenario_charts.h"

namespace gdbench::answers {

namespace {

constexpr std::size_t kMostRelativeRows = 16;  // those that are fastest on the average

// An implementation's times over the fastest's, of each scenario in which it is ranked.
struct RelativeTimes {
  const report::Cell* cell = nullptr;
  std::vector<double> ratios{};
  stats::Estimate last{};

  double mean() const {  // geometric
    double sum = 0;
    for (const double ratio : ratios) sum += std::log(ratio);
    return std::exp(sum / static_cast<double>(ratios.size()));
  }
};

}  // namespace

Figures relative_times(const std::vector<ScenarioTable>& tables, document::Hues& hues) {
  std::map<std::string, RelativeTimes> by_name;
  std::size_t scenarios = 0;
  for (const ScenarioTable& table : tables) {
    if (table.ranked.size() < 2) continue;
    ++scenarios;
    for (const auto& [report, scenario, cell] : table.ranked) {
      const auto ratio = table.ranking.ratios.find(cell);
      const bool fastest = ratio == table.ranking.ratios.end();
      if (!fastest && ratio->second.launches == 0) continue;
      RelativeTimes& times = by_name[row_name(*cell)];
      times.cell = cell;
      times.last = fastest ? stats::Estimate{.value = 1, .interval = {1, 1}} : ratio->second;
      times.ratios.push_back(times.last.value);
    }
  }
  if (by_name.empty()) return {};
  std::vector<RelativeTimes> all;
  for (auto& [name, times] : by_name) all.push_back(std::move(times));
  std::ranges::stable_sort(all, {}, [](const RelativeTimes& times) { return times.mean(); });
  document::Rows chart{
      .axes = {{.title = "time per step over the fastest's", .text = &format_factor, .logarithmic = true}}, .line = 1};
  document::Columns data = {left("implementation"), right("over the fastest"), right("scenarios")};
  for (const RelativeTimes& times : all) {
    if (chart.rows.size() == kMostRelativeRows) break;
    const std::size_t count = times.ratios.size();
    const std::string missing = count < scenarios ? " (" + std::to_string(count) + ")" : "";
    document::Measure measure{.value = times.mean()};
    if (scenarios == 1 && times.last.launches > 0) measure.interval = times.last.interval;
    add_row(data, {row_name(*times.cell), measure.interval ? format_ratio(times.last) : format_factor(measure.value),
                   std::to_string(count)});
    chart.rows.push_back({.label = row_name(*times.cell),
                          .look = look_of(hues, *times.cell),
                          .measures = {measure},
                          .dots = count > 1 ? times.ratios : std::vector<double>(),
                          .figure = format_factor(measure.value) + missing});
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
