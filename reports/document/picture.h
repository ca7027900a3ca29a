// What pictures are made of: their area, its axes, texts and lines.
#pragma once

#include <string>
#include <vector>

#include "reports/document/elements.h"
#include "reports/document/scale.h"

namespace gdbench::document {

// A picture with an axis at the bottom and one at the left, whose words stand outside.
struct PlotArea {
  double left = 76;
  double right = 620;
  double top = 24;
  double bottom = 320;

  double height() const { return bottom + 40; }
};
constexpr std::size_t kRoomOfMargin = 17;  // columns of text to the right of a PlotArea
// From a line of text to the next one.
constexpr double kLineHeight = 14;

// A picture with a row for each of something: their names from the left to kRowsLeft.
constexpr double kRowsTop = 34;
constexpr double kRowHeight = 18;
constexpr double kRowsLeft = 196;

// About what a text takes up, in pixels.
double width_of(const std::string& text);
// A text of the picture.
void add_text(Markup& markup, double x, double y, const std::string& css, const std::string& text);
// A line, of the class of grid lines.
void add_line(Markup& markup, double x1, double y1, double x2, double y2, const std::string& css = "g");
// Paths of many parts. Goes on to (x, y) in a straight line, or begins there.
void extend(std::string& path, double x, double y);
// An upright line.
std::string upright_path(double x, double from, double to);

// Names to the right of an area, each as near to its height as the others let it be: letters do not overlap.
struct EndLabel {
  double y;
  std::string text;
};
void add_end_labels(Markup& markup, const PlotArea& area, std::vector<EndLabel> labels);

// Texts inside of an area, none of which covers another.
class InnerTexts {
 public:
  explicit InnerTexts(const PlotArea& area) : area_(area) {}
  // Writes the text from x on, with its line at y or as near to it as there is room.
  void add(Markup& markup, double x, double y, const std::string& text);

 private:
  struct Box {
    double left;
    double right;
    double y;
  };
  bool is_free(const Box& box) const;

  PlotArea area_;
  std::vector<Box> taken_;
};

// Words above an area for places of its horizontal axis, each with a line down through it; in as many rows as they need
// to stand next to each other.
struct Flag {
  double x;
  std::string text;
  std::size_t row = 0;
};
// The area below them; gives each its row.
PlotArea area_below(std::vector<Flag>& flags);
void add_flags(Markup& markup, const PlotArea& area, const std::vector<Flag>& flags);

// A filled rectangle in a path of many.
std::string bar_path(double x, double y, double width, double height);

// The path of a mark of that shape, around (x, y): circle, square, triangle ...
std::string mark_path(int shape, double x, double y);

}  // namespace gdbench::document
