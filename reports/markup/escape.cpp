#include "reports/markup/escape.h"

#include "harness/base/text.h"

namespace gdbench::markup {

namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";
constexpr std::size_t kLongestSequence = 4;

// Bytes of the character that the text begins with; 0 where that is none.
std::size_t length_of_character(std::string_view text) {
  for (std::size_t length = 1; length <= kLongestSequence; ++length) {
    if (is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

bool is_allowed(std::string_view character) {
  if (character.size() == 1) return character == "\t" || character == "\n" || !is_control(character[0]);
  const bool later_control = character >= "\xc2\x80" && character <= "\xc2\x9f";  // U+0080 to U+009F
  return !later_control && character != "\xef\xbf\xbe" && character != "\xef\xbf\xbf";
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const std::string_view character = text.substr(0, length);
    result += length > 0 && is_allowed(character) ? character : kReplacement;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : printable(text)) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

}  // namespace gdbench::markup
