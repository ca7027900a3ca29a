#include "reports/document/drawing.h"

namespace gdbench::document {

void Paths::write(Markup& markup) {
  for (const auto& [css, path] : paths_) {
    if (!path.empty()) markup.empty("path", {{"class", css}, {"d", path}});
  }
  paths_.clear();
}

std::string area_class(int hue) { return "k" + std::to_string(hue < 0 ? kHues - 1 : hue); }
std::string stroke_class(int hue) { return "s" + std::to_string(hue < 0 ? kHues - 1 : hue); }

std::string title_of(const Axis& axis) { return axis.title + (axis.logarithmic ? ", logarithmic" : ""); }

Scale scale_of(const Axis& axis, const Extent& extent, double from, double to) {
  const double low = axis.ends ? axis.ends->low : extent.low;
  const double high = axis.ends ? axis.ends->high : extent.high;
  return axis.logarithmic ? Scale::logarithmic(low, high, from, to) : Scale::linear(low, high, from, to);
}

std::vector<std::pair<double, std::string>> ticks_of(const Axis& axis, const Scale& scale, int most) {
  if (!axis.ticks.empty()) return axis.ticks;
  std::vector<std::pair<double, std::string>> ticks;
  for (const double tick : scale.ticks(most)) ticks.emplace_back(tick, axis.text(tick));
  return ticks;
}

Drawing drawing_of(const Chart& chart) {
  return std::visit([](const auto& kind) { return draw(kind); }, chart);
}

}  // namespace gdbench::document
