#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/report_charts.h"
#include "reports/answers/scenario_charts.h"

namespace gdbench::answers {

namespace {

using report::VectorCeilings;

struct Dot {
  std::size_t scenario;  // place among those of the figure
  const report::Cell* cell;
  double intensity;  // operations a byte
  double rate;       // operations a nanosecond: 1e9 a second
  double floor_rate;
};

// Cells of one type and number of threads, and what as many threads reached.
struct RoofGroup {
  const VectorCeilings* ceilings = nullptr;
  double peak = 0;  // 1e9 operations a second
  std::vector<const ScenarioTable*> scenarios;
  std::vector<Dot> dots;
};
using Groups = std::map<std::pair<std::string, int>, RoofGroup>;

// Operations are those of the matrix products, two for each multiply-add of the floor.
void add_dot(RoofGroup& group, const ScenarioTable& table, const report::Cell& cell) {
  const report::Summary& summary = *cell.summary;
  const report::CeilingShare& ceiling = *summary.ceiling;
  const double products_ns = ceiling.operations_ns - ceiling.functions_ns.value_or(0) - ceiling.roots_ns.value_or(0);
  const double operations = ceiling.operations.value_or(products_ns * group.peak);
  if (!(operations > 0)) return;
  if (group.scenarios.empty() || group.scenarios.back() != &table) group.scenarios.push_back(&table);
  group.dots.push_back({group.scenarios.size() - 1, &cell, operations / *ceiling.bytes,
                        operations / summary.step_ns.value, operations / ceiling.floor_ns});
}

Groups groups_of(const report::Report& report, const std::vector<ScenarioTable>& tables) {
  Groups groups;
  for (const ScenarioTable& table : tables) {
    const std::string dtype = table.scenario->resolved.dtype_name();
    for (const Row& row : table.ranked) {
      const report::Cell& cell = *row.cell;
      const VectorCeilings* ceilings = report.ceilings ? report.ceilings->best_of(cell.threads) : nullptr;
      const bool known = cell.summary->ceiling && cell.summary->ceiling->bytes.value_or(0) > 0;
      if (ceilings == nullptr || !known) continue;
      RoofGroup& group = groups[{dtype, cell.threads}];
      group.ceilings = ceilings;
      group.peak = ceilings->product_gflop_per_second(table.scenario->resolved.dtype.value_or(report::Dtype::f32));
      add_dot(group, table, cell);
    }
  }
  std::erase_if(groups, [](const auto& entry) { return entry.second.dots.empty(); });
  return groups;
}

// A scenario's sign in the picture: a, b ... z, then none.
std::string letter_of(std::size_t scenario) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  return scenario < kLetters.size() ? std::string(1, kLetters[scenario]) : "";
}

Columns roofline_table(const RoofGroup& group) {
  Columns table = {left("scenario"), left("implementation"), right("operations/byte"),
                   right("Gop/s"),   right("floor, Gop/s"),  left("of floor")};
  for (const Dot& dot : group.dots) {
    add_row(table, {letter_of(dot.scenario) + " " + group.scenarios[dot.scenario]->scenario->label, row_name(*dot.cell),
                    format_number(dot.intensity), format_number(dot.rate), format_number(dot.floor_rate),
                    ceiling_words(*dot.cell)});
  }
  return table;
}

std::string roofline_sentence(const RoofGroup& group, int processor) {
  const auto best =
      std::ranges::max_element(group.dots, {}, [](const Dot& dot) { return dot.cell->summary->ceiling->share; });
  return "What each step reaches under what processor " + std::to_string(processor) +
         " and its caches reached in this run: operations of matrix products, and bytes that a step cannot do without. "
         "A grey bar with a letter is a scenario's floor, below the roofs where dependent operations wait for each "
         "other or functions take their time. Closest to its floor is " +
         row_name(*best->cell) + " in " + group.scenarios[best->scenario]->scenario->label + ", at " +
         format_percent(best->cell->summary->ceiling->share) + ".";
}

// The best of it, in GB/s; 0 if it was not measured.
double bandwidth_of(const report::LevelCeiling& level) {
  return std::max(level.read_gb_per_second, level.update_gb_per_second);
}

// From `from` to where it meets the peak, and on.
document::Series roof_of(const report::LevelCeiling& level, double peak, double from, double to) {
  const double gb_per_second = bandwidth_of(level);
  document::Series roof{.name = level.level + " " + format_number(gb_per_second) + " GB/s",
                        .line = document::Line::guide};
  if (!(gb_per_second > 0)) return roof;
  roof.points = {{from, from * gb_per_second}};
  if (peak / gb_per_second < to) roof.points.push_back({peak / gb_per_second, peak});
  if (peak / gb_per_second >= to) roof.points.push_back({to, to * gb_per_second});
  return roof;
}

document::Plane roofline_chart(const RoofGroup& group, document::Hues& hues) {
  document::Plane chart{.across = {.title = "operations per byte", .text = &format_number, .logarithmic = true},
                        .up = {.title = "Gop/s of products", .text = &format_number, .logarithmic = true},
                        .keyed = true};
  std::map<std::string, document::Series> by_strategy;
  std::set<std::size_t> floors;
  double low = group.dots.front().intensity;
  double high = low;
  double least = group.dots.front().rate;
  for (const Dot& dot : group.dots) {
    const std::string strategy = report::parse_implementation(dot.cell->implementation).strategy;
    document::Series& series = by_strategy[strategy];
    series.name = strategy;
    series.look = look_of(hues, *dot.cell);
    series.line = document::Line::none;
    series.marked = true;
    series.points.push_back({dot.intensity, dot.rate});
    low = std::min(low, dot.intensity);
    high = std::max(high, dot.intensity);
    least = std::min(least, dot.rate);
    if (floors.insert(dot.scenario).second) {
      chart.notes.push_back({dot.intensity,
                             dot.floor_rate,
                             letter_of(dot.scenario),
                             {.hue = document::kGrey, .shape = document::kHues - 1}});
    }
  }
  for (auto& [strategy, series] : by_strategy) chart.series.push_back(std::move(series));
  for (const report::LevelCeiling& level : group.ceilings->levels) {
    if (bandwidth_of(level) > 0) high = std::max(high, group.peak / bandwidth_of(level));
  }
  low /= 4;
  high *= 2;
  for (const report::LevelCeiling& level : group.ceilings->levels) {
    const double gb_per_second = bandwidth_of(level);
    if (!(gb_per_second > 0)) continue;
    chart.series.push_back(roof_of(level, group.peak, std::max(low, least / 1.5 / gb_per_second), high));
  }
  chart.series.push_back({.name = "FMA " + format_number(group.peak) + " Gop/s",
                          .line = document::Line::guide,
                          .points = {{low, group.peak}, {high, group.peak}}});
  return chart;
}

}  // namespace

Figures rooflines(const report::Report& report, const std::vector<ScenarioTable>& tables, document::Hues& hues) {
  Figures figures;
  for (const auto& [kind, group] : groups_of(report, tables)) {
    const auto& [dtype, threads] = kind;
    figures.push_back({.title = "Roofline, " + dtype + ", " + counted(threads, "thread"),
                       .sentence = roofline_sentence(group, report.ceilings->processor),
                       .chart = roofline_chart(group, hues),
                       .data = roofline_table(group)});
  }
  return figures;
}

}  // namespace gdbench::answers
