// What drawings of charts share.
#pragma once

#include <map>
#include <string>

#include "reports/document/picture.h"
#include "reports/document/writers.h"

namespace gdbench::document {

Drawing draw(const Plane& plane);
Drawing draw(const Rows& rows);

// Paths of one class are one element: a page has many rows and points.
class Paths {
 public:
  std::string& of(const std::string& css) { return paths_[css]; }
  // Writes them, classes in the order of their names, and forgets them.
  void write(Markup& markup);

 private:
  std::map<std::string, std::string> paths_;
};

// "k2" and "s2": the classes of areas and of strokes of a hue.
std::string area_class(int hue);
std::string stroke_class(int hue);

std::string title_of(const Axis& axis);

// The axis's scale over [from, to] pixels, and its ticks with their texts.
Scale scale_of(const Axis& axis, const Extent& extent, double from, double to);
std::vector<std::pair<double, std::string>> ticks_of(const Axis& axis, const Scale& scale, int most);

}  // namespace gdbench::document
