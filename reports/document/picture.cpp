#include "reports/document/picture.h"

#include <algorithm>
#include <cmath>

namespace gdbench::document {

double width_of(const std::string& text) {
  constexpr double kWidest = 7.2;
  return kWidest * static_cast<double>(display_width(text));
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

void extend(std::string& path, double x, double y) {
  path += (path.empty() ? "M" : "L") + coordinate(x) + " " + coordinate(y);
}

std::string upright_path(double x, double from, double to) {
  return "M" + coordinate(x) + " " + coordinate(from) + "V" + coordinate(to);
}

void add_end_labels(Markup& markup, const PlotArea& area, std::vector<EndLabel> labels) {
  std::ranges::sort(labels, {}, &EndLabel::y);
  for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLineHeight);
  // Those that this pushed below the area go up again, as far as they must.
  double lowest = area.bottom;
  for (std::size_t i = labels.size(); i-- > 0; lowest = labels[i].y - kLineHeight) {
    labels[i].y = std::min(labels[i].y, lowest);
  }
  for (const EndLabel& label : labels) add_text(markup, area.right + 6, label.y + 4, "", label.text);
}

bool InnerTexts::is_free(const Box& box) const {
  if (box.y < area_.top + kLineHeight || box.y > area_.bottom - 4) return false;
  return std::ranges::none_of(taken_, [&](const Box& other) {
    return box.left < other.right && other.left < box.right && std::abs(box.y - other.y) < kLineHeight;
  });
}

void InnerTexts::add(Markup& markup, double x, double y, const std::string& text) {
  Box box = {x, x + width_of(text), y};
  for (double distance = 0; !is_free(box) && distance < area_.bottom - area_.top; distance += kLineHeight / 2) {
    box.y = y + distance;
    if (!is_free(box)) box.y = y - distance;
  }
  taken_.push_back(box);
  add_text(markup, x, box.y, "", text);
}

namespace {

constexpr double kFlagGap = 10;  // between words

// Where the words begin: behind their line, or before it where they would leave the picture.
double begin_of(const Flag& flag) {
  const double behind = flag.x + kFlagGap / 2;
  return behind + width_of(flag.text) <= kPictureWidth ? behind : flag.x - kFlagGap / 2 - width_of(flag.text);
}

}  // namespace

// From the right: each above those whose lines would go through its words.
PlotArea area_below(std::vector<Flag>& flags) {
  std::ranges::stable_sort(flags, {}, &Flag::x);
  std::size_t rows = 0;
  for (std::size_t i = flags.size(); i-- > 0;) {
    const double end = begin_of(flags[i]) + width_of(flags[i].text) + kFlagGap;
    for (std::size_t next = i + 1; next < flags.size(); ++next) {
      if (begin_of(flags[next]) < end) flags[i].row = std::max(flags[i].row, flags[next].row + 1);
    }
    rows = std::max(rows, flags[i].row + 1);
  }
  PlotArea area;
  area.top += kLineHeight * static_cast<double>(rows);
  area.bottom += kLineHeight * static_cast<double>(rows);
  return area;
}

void add_flags(Markup& markup, const PlotArea& area, const std::vector<Flag>& flags) {
  for (const Flag& flag : flags) {
    const double y = area.top - 4 - kLineHeight * static_cast<double>(flag.row);
    add_line(markup, flag.x, y - 8, flag.x, area.bottom, "o");
    const bool behind = begin_of(flag) > flag.x;
    add_text(markup, flag.x + (behind ? kFlagGap / 2 : -kFlagGap / 2), y, behind ? "" : "e", flag.text);
  }
}

std::string bar_path(double x, double y, double width, double height) {
  return "M" + coordinate(x) + " " + coordinate(y) + "h" + coordinate(width) + "v" + coordinate(height) + "h" +
         coordinate(-width) + "z";
}

std::string mark_path(int shape, double x, double y) {
  const std::string at = "M" + coordinate(x) + " " + coordinate(y);
  constexpr const char* kShapes[kHues] = {
      "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",     // circle
      "m-3.5-3.5h7v7h-7z",                      // square
      "m0-4.5l4.5 8h-9z",                       // triangle
      "m0-5l5 5-5 5-5-5z",                      // diamond
      "m-4.5-3.5h9l-4.5 8z",                    // triangle on its tip
      "m-4.5-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",  // cross
      "m-3-4.5h6v9h-6z",                        // bar
  };
  return at + kShapes[shape];
}

}  // namespace gdbench::document
