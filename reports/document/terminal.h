// What texts for a terminal are made of: columns, styles, and lines broken between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gdbench::document {

enum class Style { plain, bold, dim, good, bad, unsure };
const char* name_of(Style style);  // in JSON

// Columns that a text takes up: bytes that begin a UTF-8 character.
std::size_t display_width(const std::string& text);
// Of the widest of them.
std::size_t display_width(const std::vector<std::string>& texts);
// Filled up with spaces to that many columns; a longer text stays whole.
std::string padded(const std::string& text, std::size_t width, bool right_aligned);
// Bytes of the characters that fill so many columns.
std::size_t bytes_of(std::string_view text, std::size_t width);
// What is longer ends in "..".
std::string cut(const std::string& text, std::size_t width);
// The text in ANSI colours, or as it is.
std::string styled(const std::string& text, Style style, bool colour);
// Bytes of the code with which styled() begins or ends a style, where the text begins with one; else 0.
std::size_t length_of_style(std::string_view text);

// The text in lines of at most `width` columns with `indent` spaces before each, and `hanging` more before all but the
// first, broken between words. A longer word has a line of its own.
std::string paragraph(const std::string& text, std::size_t indent, std::size_t width, Style style = Style::plain,
                      bool colour = false, std::size_t hanging = 0);

}  // namespace gdbench::document
