#include "reports/page/scenario_figures.h"

namespace gdbench::page {

std::vector<render::Row> timed_rows(const render::ScenarioTable& table) {
  std::vector<render::Row> rows = table.ranked;
  rows.insert(rows.end(), table.unranked.begin(), table.unranked.end());
  return rows;
}

int hue_of(Hues& hues, const report::Cell& cell) {
  return hues.of(report::parse_implementation(cell.implementation).strategy);
}

std::string short_name(const report::Cell& cell) {
  constexpr std::size_t kRoom = 28;
  return render::cut(render::row_name(cell), kRoom);
}

std::string margin_name(const report::Cell& cell) {
  constexpr std::size_t kRoom = 17;
  return render::cut(render::row_name(cell), kRoom);
}

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

}  // namespace gdbench::page
