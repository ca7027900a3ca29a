// Rows of a report as columns of texts, before any layout, and as CSV.
#pragma once

#include <string>
#include <vector>

#include "reports/answers/format.h"
#include "reports/answers/rows.h"
#include "reports/document/document.h"

namespace gdbench::answers {

using document::add_row;

// The rows in every column that has a title and something to say of one of them.
Columns text_table(const std::vector<Row>& rows);

// "18.3 ns", marked where it rests on a single launch, of a row with a time.
std::string time_text(const Row& row);
// "faster" than the baseline, "baseline"; "-" without a comparison. And how it looks.
std::string verdict_text(const Row& row);
Style verdict_style(const Row& row);

// One line per cell, RFC 4180.
std::string csv(const report::Report& report);

// Fields as a line of CSV, its end included (RFC 4180).
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace gdbench::answers
