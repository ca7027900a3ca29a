// A figure: a picture, a sentence that says what it shows, and every number in it as a table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/page/markup.h"
#include "reports/render/table.h"

namespace gdbench::page {

constexpr double kPictureWidth = 760;  // pixels; a wider page shows them larger

struct Figure {
  std::string id;        // unique on the page
  std::string title;     // what it is
  std::string sentence;  // what it shows
  double height = 0;     // of the picture, in pixels
  render::TextTable data;
};

// What body() writes, in a box of its own to scroll in where the page is narrow; `label` says what it is.
template <class Body>
void add_scrollable(Markup& markup, const std::string& label, const Body& body) {
  markup.element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}}, body);
}

// draw() writes the picture.
void add_figure(Markup& markup, const Figure& figure, const std::function<void()>& draw);

// The columns that have a title. `caption` says what the rows are; sortable: by a button in each column's head.
void add_table(Markup& markup, const render::TextTable& table, const std::string& caption, bool sortable);

// Hues of kinds of implementations, in the order in which they are first asked for; those beyond kHues share the last.
constexpr int kHues = 7;
class Hues {
 public:
  int of(const std::string& kind);

 private:
  std::vector<std::string> kinds_;
};

// A filled rectangle in a path of many.
std::string bar_path(double x, double y, double width, double height);

// The path of a mark of that hue, around (x, y): circle, square, triangle ...
std::string mark_path(int hue, double x, double y);

}  // namespace gdbench::page
