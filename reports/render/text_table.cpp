#include "reports/render/text_table.h"

#include <algorithm>
#include <cstddef>

namespace gdbench::render {

std::string text_table(const std::vector<PlainColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<std::string> header;
  for (const PlainColumn& column : columns) {
    widths.push_back(column.title.size());
    header.push_back(column.title);
  }
  for (const std::vector<std::string>& row : rows) {
    // What ends a short row may reach into the columns that it does not have.
    const std::size_t bounded = row.size() < columns.size() ? row.size() - 1 : row.size();
    for (std::size_t i = 0; i < bounded; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] > row[i].size() ? widths[i] - row[i].size() : 0, ' ');
      const bool right = columns[i].right_aligned && row.size() == columns.size();
      line += "  " + (right ? space + row[i] : row[i] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add(header);
  for (const std::vector<std::string>& row : rows) add(row);
  return text;
}

}  // namespace gdbench::render
