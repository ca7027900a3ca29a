#include "reports/page/figure.h"

#include <algorithm>

namespace gdbench::page {

void add_figure(Markup& markup, const Figure& figure, const std::function<void()>& draw) {
  markup.element("figure", {{"id", figure.id}}, [&] {
    markup.element("figcaption", {}, [&] {
      markup.element("b", figure.title + ".");
      markup.text(" " + figure.sentence);
    });
    add_scrollable(markup, figure.title, [&] {
      const std::string box = "0 0 " + coordinate(kPictureWidth) + " " + coordinate(figure.height);
      markup.element("svg",
                     {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"viewBox", box},
                      {"role", "img"},
                      {"aria-labelledby", figure.id + "-t " + figure.id + "-d"}},
                     [&] {
                       markup.element("title", {{"id", figure.id + "-t"}}, figure.title);
                       markup.element("desc", {{"id", figure.id + "-d"}}, figure.sentence);
                       draw();
                     });
    });
    markup.element("details", {}, [&] {
      markup.element("summary", "Its numbers");
      add_table(markup, figure.data, figure.title, false);
    });
  });
}

void add_table(Markup& markup, const render::TextTable& table, const std::string& caption, bool sortable) {
  if (table.empty()) return;
  // Columns of figures are a matter of the table, for there are many cells.
  std::string css = sortable ? "sortable" : "";
  for (std::size_t column = 0; column < table.size(); ++column) {
    if (table[column].right_aligned) css += (css.empty() ? "n" : " n") + std::to_string(column + 1);
  }
  add_scrollable(markup, caption, [&] {
    markup.element("table", {{css.empty() ? "" : "class", css}}, [&] {
      markup.element("caption", caption);
      markup.element("thead", {}, [&] {
        markup.element("tr", {}, [&] {
          for (const render::TextColumn& column : table) markup.element("th", {{"scope", "col"}}, column.title);
        });
      });
      markup.element("tbody", {}, [&] {
        for (std::size_t row = 0; row < table.front().texts.size(); ++row) {
          markup.element("tr", {}, [&] {
            for (const render::TextColumn& column : table) {
              if (&column == &table.front()) {
                markup.element("th", {{"scope", "row"}}, column.texts[row]);
              } else {
                markup.element("td", column.texts[row]);
              }
            }
          });
        }
      });
    });
  });
}

int Hues::of(const std::string& kind) {
  const auto number = std::ranges::find(kinds_, kind) - kinds_.begin();
  if (number == std::ssize(kinds_)) kinds_.push_back(kind);
  return std::min(kHues - 1, static_cast<int>(number));
}

std::string bar_path(double x, double y, double width, double height) {
  return "M" + coordinate(x) + " " + coordinate(y) + "h" + coordinate(width) + "v" + coordinate(height) + "h" +
         coordinate(-width) + "z";
}

std::string mark_path(int hue, double x, double y) {
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
  return at + kShapes[hue];
}

}  // namespace gdbench::page
