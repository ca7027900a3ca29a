#include "reports/page/scenario_figures.h"

#include <algorithm>

namespace gdbench::page {

std::vector<render::Row> timed_rows(const render::ScenarioTable& table) {
  std::vector<render::Row> rows = table.ranked;
  rows.insert(rows.end(), table.unranked.begin(), table.unranked.end());
  return rows;
}

int hue_of(Hues& hues, const report::Cell& cell) {
  return hues.of(report::parse_implementation(cell.implementation).strategy);
}

std::string short_name(const report::Cell& cell, std::size_t room) { return render::cut(render::row_name(cell), room); }

std::map<int, double> figures_of_launches(const report::Cell& cell) {
  std::map<int, double> figures;
  for (const report::Sample& sample : cell.samples) {
    if (sample.cold) continue;
    const auto [at, is_new] = figures.emplace(sample.launch, sample.real_ns);
    if (!is_new) at->second = std::min(at->second, sample.real_ns);
  }
  return figures;
}

}  // namespace gdbench::page
