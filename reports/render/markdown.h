// A report as GitHub Markdown, and the pieces of it that other documents share.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"
#include "reports/document/writers.h"
#include "reports/render/format.h"

namespace gdbench::render {

using document::markdown_escaped;

// A table with an empty line behind it.
std::string markdown_table(const std::vector<PlainColumn>& columns, const std::vector<std::vector<std::string>>& rows);
inline std::string markdown_table(const PlainTable& table) { return markdown_table(table.columns, table.rows); }

}  // namespace gdbench::render
