#include <cctype>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "reports/document/elements.h"
#include "reports/document/page.h"
#include "reports/document/writers.h"

namespace gdbench::document {

namespace {

const char* class_of(Style style) { return style == Style::bad ? "warning" : style == Style::dim ? "muted" : ""; }

// Ids of a page: the words of a title, "time-per-step", with a number behind them where they are taken.
class Ids {
 public:
  std::string make(const std::string& title) {
    std::string id = address_part(title);
    if (id.empty() || std::isdigit(static_cast<unsigned char>(id.front())) != 0) id = "s-" + id;
    const int count = ++taken_[id];
    return count == 1 ? id : make(id + "-" + std::to_string(count));
  }

 private:
  std::map<std::string, int> taken_;
};

class HtmlWriter {
 public:
  // A table without a title of its own has that of where it stands.
  HtmlWriter(Markup& markup, Ids& ids, std::string title) : markup_(markup), ids_(ids), title_(std::move(title)) {}

  void blocks(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) std::visit([this](const auto& content) { add(content); }, block.content);
  }

  void add(const Paragraph& paragraph) { add_paragraph(markup_, paragraph.text, class_of(paragraph.style)); }

 private:
  void add(const List& list) {
    markup_.element("ul", {}, [&] {
      for (const Paragraph& item : list.items) {
        const std::string css = class_of(item.style);
        markup_.element("li", {{css.empty() ? "" : "class", css}}, item.text);
      }
    });
  }
  void add(const Table& table) {
    const std::string& name = table.title.empty() ? title_ : table.title;
    add_table(markup_, table.columns, name,
              {.sortable = true,
               .captioned = !table.title.empty(),
               .filters = table.filters,
               .id = table.filters.empty() ? "" : ids_.make(name + " rows")});
  }
  void add(const Figure& figure) {
    const Drawing drawing = drawing_of(figure.chart);
    add_frame(markup_,
              {.id = ids_.make(figure.title),
               .title = figure.title,
               .sentence = figure.sentence,
               .height = drawing.height,
               .data = data_of(figure)},
              [&] { markup_.raw(drawing.markup); });
  }
  void add(const Command& command) {
    markup_.element("p", {}, [&] { markup_.element("code", command.line); });
  }
  void add(const Heading& heading) {
    markup_.element("h3", heading.title);
    title_ = heading.title;
  }
  void add(const Fold& fold) {
    title_ = fold.summary;
    markup_.element("details", {{fold.open ? "open" : "", "open"}}, [&] {
      markup_.element("summary", fold.summary);
      blocks(fold.blocks);
    });
  }

  Markup& markup_;
  Ids& ids_;
  std::string title_;
};

}  // namespace

std::string html_of(const Document& document) {
  Ids ids;
  std::vector<PagePart> parts;
  const auto write = [&ids](const Section& section) {
    return [&ids, &section](Markup& markup) { HtmlWriter(markup, ids, section.title).blocks(section.blocks); };
  };
  for (const Section& section : document.sections) {
    if (!section.title.empty()) parts.push_back({ids.make(section.title), section.title, write(section)});
  }
  return page_of(document.title, document.links, parts, [&](Markup& markup) {
    HtmlWriter writer(markup, ids, document.title);
    for (const Paragraph& paragraph : document.answer) writer.add(paragraph);
    for (const Section& section : document.sections) {
      if (section.title.empty()) writer.blocks(section.blocks);
    }
  });
}

}  // namespace gdbench::document
