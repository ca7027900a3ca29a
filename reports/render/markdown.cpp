#include "reports/render/markdown.h"

#include "reports/document/writers.h"
#include "reports/render/table.h"

namespace gdbench::render {

std::string markdown_table(const std::vector<PlainColumn>& columns, const std::vector<std::vector<std::string>>& rows) {
  return document::markdown_table(by_columns({.columns = columns, .rows = rows}));
}

}  // namespace gdbench::render
