#include "harness/base/text.h"
#include "reports/document/writers.h"

namespace gdbench::document {

namespace {

class MarkdownWriter {
 public:
  std::string write(const Document& document) {
    heading("## ", document.title);
    for (const Paragraph& paragraph : document.answer) add(paragraph);
    for (const Section& section : document.sections) {
      const std::size_t before = text_.size();
      if (!section.title.empty()) heading("### ", section.title);
      const std::size_t begin = text_.size();
      blocks(section.blocks);
      if (text_.size() == begin) text_.resize(before);  // it has figures alone
    }
    return std::move(text_);
  }

 private:
  void heading(const char* mark, const std::string& title) { text_ += mark + markdown_escaped(title) + "\n\n"; }

  void blocks(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) std::visit([this](const auto& content) { add(content); }, block.content);
  }

  void add(const Paragraph& paragraph) {
    const std::string text = markdown_escaped(paragraph.text);
    text_ += (paragraph.style == Style::bold || paragraph.style == Style::bad ? "**" + text + "**" : text) + "\n\n";
  }
  void add(const List& list) {
    for (const Paragraph& item : list.items) text_ += "- " + markdown_escaped(item.text) + "\n";
    text_ += "\n";
  }
  void add(const Figure& figure) {
    if (figure.in_text) add(Table{figure.title, data_of(figure)});
  }
  // A fence that is longer than any in the command ends it.
  void add(const Command& command) {
    std::string fence = "```";
    while (command.line.find(fence) != std::string::npos) fence += '`';
    text_ += fence + "\n" + one_line(command.line) + "\n" + fence + "\n\n";
  }
  void add(const Heading& heading) { this->heading("#### ", heading.title); }
  void add(const Fold& fold) {
    text_ += std::string(fold.open ? "<details open>" : "<details>") + "<summary>" + markdown_escaped(fold.summary) +
             "</summary>\n\n";
    blocks(fold.blocks);
    text_ += "</details>\n\n";
  }
  void add(const Table& table) {
    if (!table.title.empty()) text_ += markdown_escaped(table.title) + ":\n\n";
    text_ += markdown_table(table.columns);
  }

  std::string text_;
};

}  // namespace

std::string markdown_escaped(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '|' || c == '*' || c == '<' || c == '_' || c == '`' || c == '\\' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const Columns& columns) {
  std::string header = "|";
  std::string rule = "|";
  for (const Column& column : columns) {
    header.append(" ").append(markdown_escaped(column.title)).append(" |");
    rule += column.right_aligned ? " ---: |" : " --- |";
  }
  std::string text = header + "\n" + rule + "\n";
  for (std::size_t row = 0; row < columns.front().texts.size(); ++row) {
    text += "|";
    for (const Column& column : columns)
      text.append(" ").append(markdown_escaped(whole_text(column, row))).append(" |");
    text += "\n";
  }
  return text + "\n";
}

std::string markdown_of(const Document& document) { return MarkdownWriter().write(document); }

}  // namespace gdbench::document
