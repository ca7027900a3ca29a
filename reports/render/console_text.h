// What texts for a terminal are made of: columns, styles, and lines broken between words.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::render {

enum class Style { plain, bold, dim, good, bad, unsure };

// Columns that a text takes up: bytes that begin a UTF-8 character.
std::size_t display_width(const std::string& text);
// Filled up with spaces to that many columns; a longer text stays whole.
std::string padded(const std::string& text, std::size_t width, bool right_aligned);
// What is longer ends in "..".
std::string cut(const std::string& text, std::size_t width);
// The text in ANSI colours, or as it is.
std::string styled(const std::string& text, Style style, bool colour);

Style style_of_verdict(stats::Verdict verdict);
Style style_of_state(report::CellState state);

// The text in lines of at most `width` columns with `indent` spaces before each, broken between words. A longer word
// has a line of its own.
std::string paragraph(const std::string& text, std::size_t indent, std::size_t width, Style style = Style::plain,
                      bool colour = false);

}  // namespace gdbench::render
