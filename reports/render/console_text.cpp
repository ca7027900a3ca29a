#include "reports/render/console_text.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace gdbench::render {

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right_aligned) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return right_aligned ? space + text : text + space;
}

std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::string kept = text;
  while (!kept.empty() && display_width(kept) + 2 > width) kept.pop_back();
  return kept + "..";
}

std::string styled(const std::string& text, Style style, bool colour) {
  if (!colour || style == Style::plain) return text;
  // SGR parameters of ECMA-48: bold, faint, green, red, yellow.
  constexpr std::array kCodes = {"0", "1", "2", "32", "31", "33"};
  return std::string("\x1b[") + kCodes[static_cast<std::size_t>(style)] + "m" + text + "\x1b[0m";
}

Style style_of_verdict(stats::Verdict verdict) {
  using stats::Verdict;
  return verdict == Verdict::faster         ? Style::good
         : verdict == Verdict::slower       ? Style::bad
         : verdict == Verdict::inconclusive ? Style::unsure
                                            : Style::plain;
}

Style style_of_state(report::CellState state) {
  using report::CellState;
  return state == CellState::unsupported || state == CellState::pending ? Style::dim
         : state == CellState::ok                                       ? Style::plain
                                                                        : Style::bad;
}

std::string paragraph(const std::string& text, std::size_t indent, std::size_t width, Style style, bool colour) {
  std::istringstream words(text);
  std::string result;
  std::string word;
  std::string line;
  const std::string margin(indent, ' ');
  const auto flush = [&] {
    if (!line.empty()) result += margin + styled(line, style, colour) + "\n";
    line.clear();
  };
  while (words >> word) {
    if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  flush();
  return result;
}

}  // namespace gdbench::render
