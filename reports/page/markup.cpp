#include "reports/page/markup.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gdbench::page {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Elements that stand in a line; others end theirs, so that two versions of a page can be compared by lines.
constexpr std::string_view kInline[] = {"a", "b", "button", "code", "option", "span", "text", "title", "tspan"};

bool is_inline(std::string_view tag) {
  for (const std::string_view name : kInline) {
    if (name == tag) return true;
  }
  return false;
}

// Bytes of the character at the start of the text; 0 where it is none of UTF-8.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool beyond = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

// U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069 turn directions; U+FFFE and U+FFFF are no characters.
bool is_forbidden(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return (byte(0) < 0x20 && byte(0) != '\n' && byte(0) != '\t') || byte(0) == 0x7F;
  if (character.size() == 2) return (byte(0) == 0xC2 && byte(1) < 0xA0) || character == "\xD8\x9C";
  if (character.size() != 3) return false;
  if (byte(0) == 0xE2 && byte(1) == 0x80)
    return byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xAA && byte(2) <= 0xAE);
  if (byte(0) == 0xE2 && byte(1) == 0x81) return byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (length == 0 || is_forbidden(character)) {
      out += kReplacement;
      continue;
    }
    switch (character.front()) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += character;
    }
  }
  return out;
}

std::string coordinate(double value) {
  std::array<char, 32> digits{};
  const double tenths = std::round(value * 10);
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), tenths / 10 + 0.0, std::chars_format::fixed).ptr;
  return {digits.data(), end};
}

void Markup::begin(std::string_view tag, Attributes attributes, std::string_view close) {
  out_ += '<';
  out_ += tag;
  for (const Attribute& attribute : attributes) {
    if (attribute.name.empty()) continue;
    out_ += ' ';
    out_ += attribute.name;
    out_ += "=\"";
    out_ += escaped(attribute.value);
    out_ += '"';
  }
  out_ += close;
  if (close == "/>") out_ += '\n';
}

void Markup::end(std::string_view tag) {
  out_ += "</";
  out_ += tag;
  out_ += '>';
  if (!is_inline(tag)) out_ += '\n';
}

void Markup::element(std::string_view tag, Attributes attributes, std::string_view text) {
  element(tag, attributes, [&] { this->text(text); });
}

}  // namespace gdbench::page
