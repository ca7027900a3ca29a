#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "reports/document/drawing.h"

namespace gdbench::document {

namespace {

constexpr int kTicksOfPlane = 8;
constexpr double kRoom = 1.1;            // left free around the outermost value of a logarithmic vertical axis
constexpr double kInset = 8;             // pixels between the ends of the horizontal axis and what is drawn
constexpr std::size_t kManyPoints = 60;  // of a series: places in whole pixels do

Extent extent_across(const Plane& plane) {
  Extent extent;
  const auto add = [&](double value) { plane.across.logarithmic ? extent.add_positive(value) : extent.add(value); };
  for (const Series& series : plane.series) {
    for (const Point& point : series.points) add(point.x);
  }
  for (const Note& note : plane.notes) add(note.x);
  for (const Rule& rule : plane.rules) {
    if (rule.upright) add(rule.at);
  }
  return extent;
}

Extent extent_up(const Plane& plane) {
  Extent extent;
  const auto add = [&](double value) { plane.up.logarithmic ? extent.add_positive(value) : extent.add(value); };
  for (const Series& series : plane.series) {
    for (const Point& point : series.points) {
      add(point.y);
      if (!point.interval) continue;
      add(point.interval->low);
      add(point.interval->high);
    }
  }
  for (const Band& band : plane.bands) {
    if (band.upright) continue;
    add(band.range.low);
    add(band.range.high);
  }
  for (const Rule& rule : plane.rules) {
    if (!rule.upright) add(rule.at);
  }
  if (plane.up.logarithmic) {
    extent.low /= kRoom;
    extent.high *= kRoom;
  }
  return extent;
}

class PlaneDrawing {
 public:
  explicit PlaneDrawing(const Plane& plane)
      : plane_(plane),
        across_(scale_of(plane.across, extent_across(plane), PlotArea().left + kInset, PlotArea().right - kInset)),
        flags_(flags()),
        area_(area_below(flags_)),
        up_(scale_of(plane.up, extent_up(plane), area_.bottom, area_.top)),
        words_(area_) {}

  Drawing draw() {
    bands();
    axes();
    for (const Series& series : plane_.series) {
      if (series.line == Line::guide || series.look.hue == kGrey) draw(series);
    }
    for (const Series& series : plane_.series) {
      if (series.line != Line::guide && series.look.hue != kGrey) draw(series);
    }
    names();
    for (const Note& note : plane_.notes) {
      mark(note.look, across_.at(note.x), up_.at(note.y));
      words_.add(markup_, across_.at(note.x) + 6, up_.at(note.y) + 16, note.text);
    }
    paths_.write(markup_);
    return {.markup = markup_.take(), .height = area_.height()};
  }

 private:
  std::vector<Flag> flags() const {
    std::vector<Flag> flags;
    for (const Rule& rule : plane_.rules) {
      if (rule.upright && !rule.text.empty()) flags.push_back({across_.at(rule.at), rule.text});
    }
    return flags;
  }

  void bands() {
    for (const Band& band : plane_.bands) {
      const Scale& scale = band.upright ? across_ : up_;
      const double low = std::min(scale.at(band.range.low), scale.at(band.range.high));
      const double size = std::abs(scale.at(band.range.high) - scale.at(band.range.low));
      markup_.empty("path", {{"class", "b"},
                             {"d", band.upright ? bar_path(low, area_.top, size, area_.bottom - area_.top)
                                                : bar_path(area_.left, low, area_.right - area_.left, size)}});
    }
  }

  void axes() {
    double said_until = 0;
    for (const auto& [tick, text] : ticks_of(plane_.across, across_, kTicksOfPlane)) {
      const double x = across_.at(tick);
      add_line(markup_, x, area_.top, x, area_.bottom);
      if (x - width_of(text) / 2 < said_until) continue;
      add_text(markup_, x, area_.bottom + 19, "q m", text);
      said_until = x + width_of(text) / 2;
    }
    for (const auto& [tick, text] : ticks_of(plane_.up, up_, kTicksOfPlane)) {
      add_line(markup_, area_.left, up_.at(tick), area_.right, up_.at(tick));
      add_text(markup_, area_.left - 6, up_.at(tick) + 4, "q e", text);
    }
    add_text(markup_, (area_.left + area_.right) / 2, area_.bottom + 34, "q m", title_of(plane_.across));
    add_text(markup_, 0, 12, "q", title_of(plane_.up));
    add_flags(markup_, area_, flags_);
    for (const Rule& rule : plane_.rules) {
      if (!rule.upright) add_line(markup_, area_.left, up_.at(rule.at), area_.right, up_.at(rule.at), "o");
      if (rule.upright && rule.text.empty())
        add_line(markup_, across_.at(rule.at), area_.top, across_.at(rule.at), area_.bottom);
    }
  }

  void draw(const Series& series) {
    const bool grey = series.look.hue == kGrey;
    const std::string stroke = stroke_class(series.look.hue);
    const bool many = series.points.size() > kManyPoints;
    const auto place = [many](double pixels) { return many ? std::round(pixels) : pixels; };
    std::string line;
    std::string whiskers;
    for (const Point& point : series.points) {
      const double x = across_.at(point.x);
      extend(line, place(x), place(up_.at(point.y)));
      if (point.interval) whiskers += upright_path(x, up_.at(point.interval->low), up_.at(point.interval->high));
    }
    const std::string css = series.line == Line::guide  ? "o"
                            : grey                      ? "t"
                            : series.line == Line::thin ? "h " + stroke
                                                        : "c " + stroke;
    if (series.line != Line::none && !line.empty()) markup_.empty("path", {{"class", css}, {"d", line}});
    if (!whiskers.empty()) markup_.empty("path", {{"class", grey ? "t" : "c " + stroke}, {"d", whiskers}});
    if (!series.marked) return;
    for (const Point& point : series.points) mark(series.look, across_.at(point.x), up_.at(point.y));
  }

  void mark(const Look& look, double x, double y) { paths_.of(area_class(look.hue)) += mark_path(look.shape, x, y); }

  // To the right of the area: where series end, or in a list with their marks; and the horizontal rules.
  void names() {
    std::vector<EndLabel> labels;
    for (const Rule& rule : plane_.rules) {
      if (!rule.upright && !rule.text.empty()) labels.push_back({up_.at(rule.at), rule.text});
    }
    std::set<std::string> known;
    double y = area_.top;
    for (const Series& series : plane_.series) {
      if (!series.named || series.points.empty()) continue;
      const std::string name = cut(series.name, kRoomOfMargin);
      if (!plane_.keyed) {
        labels.push_back({up_.at(series.points.back().y), name});
      } else if (known.insert(name).second) {
        if (series.line == Line::guide) {
          add_line(markup_, area_.right + 5, y, area_.right + 15, y, "o");
        } else {
          mark(series.look, area_.right + 10, y);
        }
        add_text(markup_, area_.right + 20, y + 4, "", name);
        y += kLineHeight;
      }
    }
    add_end_labels(markup_, area_, std::move(labels));
  }

  const Plane& plane_;
  Scale across_;
  std::vector<Flag> flags_;
  PlotArea area_;
  Scale up_;
  InnerTexts words_;
  Paths paths_;
  Markup markup_;
};

}  // namespace

Drawing draw(const Plane& plane) { return PlaneDrawing(plane).draw(); }

}  // namespace gdbench::document
