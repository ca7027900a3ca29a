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

double width_of(const std::string& text) {
  constexpr double kLetter = 7.2;
  return kLetter * static_cast<double>(render::display_width(text));
}

void add_text(Markup& markup, double x, double y, const std::string& css, const std::string& text) {
  markup.element("text", {{css.empty() ? "" : "class", css}, {"x", coordinate(x)}, {"y", coordinate(y)}}, text);
}

void add_line(Markup& markup, double x1, double y1, double x2, double y2, const std::string& css) {
  const std::string to = x1 == x2   ? "V" + coordinate(y2)
                         : y1 == y2 ? "H" + coordinate(x2)
                                    : "L" + coordinate(x2) + " " + coordinate(y2);
  markup.empty("path", {{"class", css}, {"d", "M" + coordinate(x1) + " " + coordinate(y1) + to}});
}

void add_ticks_across(Markup& markup, const PlotArea& area, const Scale& scale, int most, TickText text_of) {
  for (const double tick : scale.ticks(most)) {
    add_line(markup, scale.at(tick), area.top, scale.at(tick), area.bottom);
    add_text(markup, scale.at(tick), area.bottom + 16, "q m", text_of(tick));
  }
}

void add_ticks_up(Markup& markup, const PlotArea& area, const Scale& scale, int most, TickText text_of) {
  for (const double tick : scale.ticks(most)) {
    add_line(markup, area.left, scale.at(tick), area.right, scale.at(tick));
    add_text(markup, area.left - 6, scale.at(tick) + 4, "q e", text_of(tick));
  }
}

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
