// A plain aligned table for documents that have few columns and one layout.
#pragma once

#include <string>
#include <vector>

namespace gdbench::render {

struct PlainColumn {
  std::string title;
  bool right_aligned = false;
};

// Columns two spaces apart, every line indented by two; a row may be shorter than the header. No trailing spaces.
std::string text_table(const std::vector<PlainColumn>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace gdbench::render
