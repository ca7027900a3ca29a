#include "reports/markup/markup.h"

#include <array>
#include <charconv>
#include <cmath>

namespace gdbench::markup {

namespace {

// Elements that stand in a line; others end theirs, so that two versions of a page can be compared by lines.
constexpr std::string_view kInline[] = {"a", "b", "button", "code", "option", "span", "text", "title", "tspan"};

bool is_inline(std::string_view tag) {
  for (const std::string_view name : kInline) {
    if (name == tag) return true;
  }
  return false;
}

}  // namespace

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

}  // namespace gdbench::markup
