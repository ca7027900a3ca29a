#include "reports/page/parts.h"

namespace gdbench::page {

void add_paragraph(Markup& markup, const std::string& text, const std::string& css) {
  if (!text.empty()) markup.element("p", {{css.empty() ? "" : "class", css}}, text);
}

void add_list(Markup& markup, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  markup.element("ul", {}, [&] {
    for (const std::string& sentence : sentences) markup.element("li", sentence);
  });
}

void add_titled(Markup& markup, const std::string& title, const render::TextTable& table) {
  if (!table.empty() && !table.front().texts.empty()) add_table(markup, table, title, true);
}

}  // namespace gdbench::page
