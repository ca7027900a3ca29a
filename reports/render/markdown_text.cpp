#include "reports/render/markdown_text.h"

namespace gdbench::render {

std::string markdown_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (c == '|' || c == '*' || c == '<' || c == '_' || c == '`' || c == '\\' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const std::vector<PlainColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string header = "|";
  std::string rule = "|";
  for (const PlainColumn& column : columns) {
    header.append(" ").append(column.title).append(" |");
    rule += column.right_aligned ? " ---: |" : " --- |";
  }
  std::string text = header + "\n" + rule + "\n";
  for (const std::vector<std::string>& row : rows) {
    text += "|";
    for (const std::string& cell : row) text.append(" ").append(markdown_escaped(cell)).append(" |");
    text += "\n";
  }
  return text + "\n";
}

}  // namespace gdbench::render
