#include "reports/document/elements.h"

#include <algorithm>
#include <set>

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
      add_table(markup, frame.data, frame.title, {});
    });
  });
}

namespace {

void add_choices(Markup& markup, const TableLook& look) {
  markup.element("form", {{"role", "search"}, {"aria-label", "Rows of the table"}, {"data-table", look.id}}, [&] {
    markup.element("label", {}, [&] {
      markup.text("Text in a row");
      markup.empty("input", {{"type", "search"}, {"name", "text"}});
    });
    for (std::size_t i = 0; i < look.filters.size(); ++i) {
      const Filter& filter = look.filters[i];
      markup.element("label", {}, [&] {
        markup.text(filter.label);
        markup.element("select", {{"name", "f" + std::to_string(i)}}, [&] {
          markup.element("option", {{"value", ""}}, "all");
          for (const std::string& value : std::set<std::string>(filter.values.begin(), filter.values.end())) {
            if (!value.empty()) markup.element("option", {{"value", value}}, value);
          }
        });
      });
    }
    markup.element("span", {{"role", "status"}}, "");
  });
}

void add_place(Markup& markup, const Column& column, std::size_t row, bool head) {
  const int shade = column.shades.empty() ? -1 : column.shades[row];
  const auto write = [&] {
    const std::string& text = column.texts[row];
    const bool leads = !column.links.empty() && !column.links[row].empty();
    leads ? markup.element("a", {{"href", column.links[row]}}, text) : markup.text(text);
    if (!column.notes.empty() && !column.notes[row].empty()) markup.element("small", column.notes[row]);
  };
  if (head) return markup.element("th", {{"scope", "row"}}, write);
  markup.element("td", {{shade < 0 ? "" : "class", "w" + std::to_string(shade)}}, write);
}

// What rows are chosen by: a script finds it as f0, f1, f2.
template <class Body>
void add_row_of(Markup& markup, const TableLook& look, std::size_t row, const Body& body) {
  const auto name = [&](std::size_t i, const char* attribute) { return i < look.filters.size() ? attribute : ""; };
  const auto value = [&](std::size_t i) { return i < look.filters.size() ? look.filters[i].values[row] : ""; };
  markup.element("tr", {{name(0, "data-f0"), value(0)}, {name(1, "data-f1"), value(1)}, {name(2, "data-f2"), value(2)}},
                 body);
}

}  // namespace

void add_table(Markup& markup, const Columns& table, const std::string& name, const TableLook& look) {
  if (table.empty()) return;
  const auto shaded = [](const Column& column) { return !column.shades.empty(); };
  // Columns of figures are a matter of the table, for there are many cells.
  std::string css = std::ranges::any_of(table, shaded) ? "grid" : "";
  if (look.sortable) css += css.empty() ? "sortable" : " sortable";
  constexpr std::size_t kLongestName = 50;
  const auto is_sentence = [](const std::string& text) { return text.size() > kLongestName; };
  if (std::ranges::any_of(table.front().texts, is_sentence)) css += css.empty() ? "sentences" : " sentences";
  for (std::size_t column = 0; column < table.size(); ++column) {
    if (table[column].right_aligned) css += (css.empty() ? "n" : " n") + std::to_string(column + 1);
  }
  if (!look.filters.empty()) add_choices(markup, look);
  add_scrollable(markup, name, [&] {
    markup.element("table", {{css.empty() ? "" : "class", css}, {look.id.empty() ? "" : "id", look.id}}, [&] {
      if (look.captioned) markup.element("caption", name);
      markup.element("thead", {}, [&] {
        markup.element("tr", {}, [&] {
          for (const Column& column : table) markup.element("th", {{"scope", "col"}}, column.title);
        });
      });
      markup.element("tbody", {}, [&] {
        for (std::size_t row = 0; row < table.front().texts.size(); ++row) {
          add_row_of(markup, look, row, [&] {
            for (const Column& column : table) add_place(markup, column, row, &column == &table.front());
          });
        }
      });
    });
  });
}

void add_paragraph(Markup& markup, const std::string& text, const std::string& css) {
  if (!text.empty()) markup.element("p", {{css.empty() ? "" : "class", css}}, text);
}

}  // namespace gdbench::document
