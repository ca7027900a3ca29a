#include "reports/document/elements.h"

namespace gdbench::document {

void add_frame(Markup& markup, const Frame& frame, const std::function<void()>& draw) {
  markup.element("figure", {{"id", frame.id}}, [&] {
    markup.element("figcaption", {}, [&] {
      markup.element("b", frame.title + ".");
      markup.text(" " + frame.sentence);
    });
    add_scrollable(markup, frame.title, [&] {
      const std::string box = "0 0 " + coordinate(kPictureWidth) + " " + coordinate(frame.height);
      markup.element("svg",
                     {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"viewBox", box},
                      {"role", "img"},
                      {"aria-labelledby", frame.id + "-t " + frame.id + "-d"}},
                     [&] {
                       markup.element("title", {{"id", frame.id + "-t"}}, frame.title);
                       markup.element("desc", {{"id", frame.id + "-d"}}, frame.sentence);
                       draw();
                     });
    });
    markup.element("details", {}, [&] {
      markup.element("summary", "Its numbers");
      add_table(markup, frame.data, frame.title, false);
    });
  });
}

void add_table(Markup& markup, const Columns& table, const std::string& name, bool sortable, bool captioned) {
  if (table.empty()) return;
  // Columns of figures are a matter of the table, for there are many cells.
  std::string css = sortable ? "sortable" : "";
  for (std::size_t column = 0; column < table.size(); ++column) {
    if (table[column].right_aligned) css += (css.empty() ? "n" : " n") + std::to_string(column + 1);
  }
  add_scrollable(markup, name, [&] {
    markup.element("table", {{css.empty() ? "" : "class", css}}, [&] {
      if (captioned) markup.element("caption", name);
      markup.element("thead", {}, [&] {
        markup.element("tr", {}, [&] {
          for (const Column& column : table) markup.element("th", {{"scope", "col"}}, column.title);
        });
      });
      markup.element("tbody", {}, [&] {
        for (std::size_t row = 0; row < table.front().texts.size(); ++row) {
          markup.element("tr", {}, [&] {
            for (const Column& column : table) {
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

void add_paragraph(Markup& markup, const std::string& text, const std::string& css) {
  if (!text.empty()) markup.element("p", {{css.empty() ? "" : "class", css}}, text);
}

void add_list(Markup& markup, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  markup.element("ul", {}, [&] {
    for (const std::string& sentence : sentences) markup.element("li", sentence);
  });
}

void add_titled(Markup& markup, const std::string& title, const Columns& columns) {
  if (!columns.empty() && !columns.front().texts.empty()) add_table(markup, columns, title, true);
}

}  // namespace gdbench::document
