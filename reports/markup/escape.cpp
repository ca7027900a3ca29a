#include "reports/markup/escape.h"

#include "harness/base/text.h"

namespace gdbench::markup {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : escape_controls(text)) {
    switch (character) {
      case '\r':  // before a line feed, alone of which XML keeps
        break;
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
