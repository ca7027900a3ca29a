// The columns of a report's tables, before any layout: one list that the console, Markdown and CSV renderers share. A
// new column is one row of columns().
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/render/format.h"
#include "reports/render/rows.h"

namespace gdbench::render {

struct Column {
  const char* title;                    // in tables for people; nullptr: only in CSV
  std::string (*text)(const Row& row);  // empty: nothing to say
  bool right_aligned;
  int rank;           // in a narrow console the columns with the highest rank are left out first; 0 stays
  const char* field;  // name in CSV with its unit; nullptr: only for people
  std::string (*value)(const Row& row);
};

std::span<const Column> columns();

// A column of any table for people with its texts from the top.
struct TextColumn {
  std::string title;
  bool right_aligned = false;
  int rank = 0;  // as in Column
  std::vector<std::string> texts;
  std::vector<Style> styles = {};  // of the texts on a terminal; empty: all are plain
};
using TextTable = std::vector<TextColumn>;

// The rows in every column that has a title and something to say of one of them.
TextTable text_table(const std::vector<Row>& rows);

}  // namespace gdbench::render
