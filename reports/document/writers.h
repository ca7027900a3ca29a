// The four writers of a document.
#pragma once

#include <string>

#include "harness/base/json.h"
#include "reports/document/document.h"

namespace gdbench::document {

struct TextOptions {
  int width = 0;  // columns; 0: lines are as long as their paragraphs
  bool colour = false;
};

// For a terminal: charts are left out, folds unless they say otherwise, and columns for which a line has no room.
std::string text_of(const Document& document, const TextOptions& options);

// GitHub's Markdown. Charts are left out. What is said is escaped.
std::string markdown_of(const Document& document);

// One file of HTML that fetches nothing and is complete without its script.
std::string html_of(const Document& document);

// What a command with an answer writes to files.
struct Form {
  const char* option;
  const char* description;  // behind "Write the answer "
  std::string (*write)(const Document& document);
};
inline constexpr Form kForms[] = {
    {"--markdown", "as GitHub Markdown", &markdown_of},
    {"--html", "as a page for a browser, one file that fetches nothing", &html_of},
};

// All of it: {"title", "answer", "sections": [{"title", "blocks": [...]}]}; a block has one key, its kind.
OrderedJson json_of(const Document& document);

// For writers of tables and charts.

// A figure's numbers: those it brings, else those of its chart in the words of its axes.
Columns data_of(const Figure& figure);

// A drawn chart: what goes into an <svg> as wide as kPictureWidth.
struct Drawing {
  std::string markup;
  double height = 0;  // pixels
};
Drawing drawing_of(const Chart& chart);

// "a\|b": any text in a line of Markdown.
std::string markdown_escaped(const std::string& text);
// A table of Markdown with an empty line behind it.
std::string markdown_table(const Columns& columns);

}  // namespace gdbench::document
