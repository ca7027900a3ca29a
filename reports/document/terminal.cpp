#include "reports/document/terminal.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace gdbench::document {

namespace {

// By style, with the codes of ECMA-48, section 8.3.117 (SGR): none, bold, faint, green, red, yellow.
struct StyleRow {
  const char* name;
  const char* code;
};
constexpr StyleRow kStyles[] = {{"plain", "\x1b[0m"}, {"strong", "\x1b[1m"}, {"muted", "\x1b[2m"},
                                {"good", "\x1b[32m"}, {"bad", "\x1b[31m"},   {"unsure", "\x1b[33m"}};

// Whether a byte goes on with a character of UTF-8.
bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !is_continuation(c); }));
}

std::size_t display_width(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, display_width(text));
  return width;
}

std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  while (bytes < text.size() && (is_continuation(text[bytes]) || width-- > 0)) ++bytes;
  return bytes;
}

std::string padded(const std::string& text, std::size_t width, bool right_aligned) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return right_aligned ? space + text : text + space;
}

std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  return text.substr(0, bytes_of(text, width < 2 ? 0 : width - 2)) + "..";
}

std::string styled(const std::string& text, Style style, bool colour) {
  if (!colour || style == Style::plain) return text;
  return kStyles[static_cast<std::size_t>(style)].code + text + kStyles[0].code;
}

const char* name_of(Style style) { return kStyles[static_cast<std::size_t>(style)].name; }

std::size_t length_of_style(std::string_view text) {
  const auto* const known = std::ranges::find_if(kStyles, [&](const StyleRow& s) { return text.starts_with(s.code); });
  return known == std::end(kStyles) ? 0 : std::string_view(known->code).size();
}

std::string paragraph(const std::string& text, std::size_t indent, std::size_t width, Style style, bool colour,
                      std::size_t hanging) {
  std::istringstream words(text);
  std::string result;
  std::string word;
  std::string line;
  const auto margin = [&] { return indent + (result.empty() ? 0 : hanging); };
  const auto flush = [&] {
    if (!line.empty()) result += std::string(margin(), ' ') + styled(line, style, colour) + "\n";
    line.clear();
  };
  while (words >> word) {
    if (!line.empty() && margin() + display_width(line) + 1 + display_width(word) > width) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  flush();
  return result;
}

}  // namespace gdbench::document
