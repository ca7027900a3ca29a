// What pages are made of: paragraphs, tables, folds, and the frame of a picture with its numbers below it. Each
// adds nothing where there is nothing to say.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/markup/markup.h"

namespace gdbench::document {

using markup::coordinate;
using markup::Markup;

constexpr double kPictureWidth = 760;  // pixels; a wider page shows them larger

void add_paragraph(Markup& markup, const std::string& text, const std::string& css = "");

struct TableLook {
  bool sortable = false;          // by a button in each column's head
  bool captioned = true;          // its name stands above it
  std::vector<Filter> filters{};  // a form above it chooses rows
  std::string id{};               // for that form
};
// `name` says what the rows are.
void add_table(Markup& markup, const Columns& columns, const std::string& name, const TableLook& look);

// What body() writes, in a box of its own to scroll in where the page is narrow; `label` says what it is.
template <class Body>
void add_scrollable(Markup& markup, const std::string& label, const Body& body) {
  markup.element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}}, body);
}

// A picture, a sentence that says what it shows, and every number in it as a table.
struct Frame {
  std::string id;        // unique on the page
  std::string title;     // what it is
  std::string sentence;  // what it shows
  double height = 0;     // of the picture, in pixels
  Columns data;
};

// draw() writes the picture.
void add_frame(Markup& markup, const Frame& frame, const std::function<void()>& draw);

}  // namespace gdbench::document
