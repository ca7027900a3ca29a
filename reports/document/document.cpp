#include "reports/document/document.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gdbench::document {

std::string whole_text(const Column& column, std::size_t row) {
  const std::string& text = column.texts[row];
  if (column.notes.empty() || column.notes[row].empty()) return text;
  return text.empty() ? column.notes[row] : text + " " + column.notes[row];
}

Column left(std::string title, int rank) { return {.title = std::move(title), .rank = rank}; }
Column right(std::string title, int rank) { return {.title = std::move(title), .right_aligned = true, .rank = rank}; }

void add_row(Columns& columns, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].texts.push_back(texts[i]);
}

Blocks& Blocks::paragraph(std::string text, Style style) {
  return text.empty() ? *this : add({Paragraph{std::move(text), style}});
}

Blocks& Blocks::list(const std::vector<std::string>& sentences, Style style) {
  List list;
  for (const std::string& sentence : sentences) list.items.push_back({sentence, style});
  return list.items.empty() ? *this : add({std::move(list)});
}

Blocks& Blocks::table(std::string title, Columns columns, std::vector<Filter> filters) {
  if (columns.empty() || columns.front().texts.empty()) return *this;
  return add({Table{std::move(title), std::move(columns), std::move(filters)}});
}

Blocks& Blocks::figure(Figure figure) { return add({std::move(figure)}); }

Blocks& Blocks::command(std::string line) { return line.empty() ? *this : add({Command{std::move(line)}}); }

void Blocks::drop_empty_heading() {
  if (!blocks_.empty() && std::holds_alternative<Heading>(blocks_.back().content)) blocks_.pop_back();
}

Blocks& Blocks::heading(std::string title) {
  drop_empty_heading();
  return add({Heading{std::move(title)}});
}

Blocks& Blocks::fold(std::string summary, Blocks blocks, bool in_text, bool open) {
  std::vector<Block> content = blocks.take();
  return content.empty() ? *this : add({Fold{std::move(summary), std::move(content), in_text, open}});
}

Blocks& Blocks::append(Blocks blocks) {
  for (Block& block : blocks.take()) add(std::move(block));
  return *this;
}

Blocks& Blocks::add(Block block) {
  blocks_.push_back(std::move(block));
  return *this;
}

std::vector<Block> Blocks::take() {
  drop_empty_heading();
  return std::move(blocks_);
}

void Document::section(std::string heading, Blocks blocks) {
  std::vector<Block> content = blocks.take();
  if (!content.empty()) sections.push_back({std::move(heading), std::move(content)});
}

int Hues::of(const std::string& kind) {
  const auto known = std::find(kinds_.begin(), kinds_.end(), kind);
  const auto number = static_cast<int>(std::distance(kinds_.begin(), known));
  if (known == kinds_.end()) kinds_.push_back(kind);
  return std::min(kHues - 1, number);
}

}  // namespace gdbench::document
