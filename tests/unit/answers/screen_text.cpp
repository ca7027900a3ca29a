#include "tests/unit/answers/screen_text.h"

#include <algorithm>
#include <sstream>

#include "reports/answers/documents.h"
#include "reports/document/writers.h"

namespace gdbench::tests {

std::string details_of(const report::Report& report, int width, bool colour) {
  return document::text_of(answers::document_of(report), {.width = width, .colour = colour});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool says(const std::string& text, const std::string& words) {
  std::istringstream list(text);
  std::string whole;
  for (std::string word; list >> word;) whole += word + " ";
  return whole.find(words) != std::string::npos;
}

std::string without_colour(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<std::string> styled_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find("\x1b["); at != std::string::npos; at = text.find("\x1b[", at)) {
    const std::size_t code = at + 2;
    const std::size_t begin = text.find('m', code) + 1;
    at = text.find('\x1b', begin);
    std::string part = text.substr(code, begin - 1 - code) + " " + text.substr(begin, at - begin);
    part.erase(part.find_last_not_of(' ') + 1);
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    at = text.find('m', at);
  }
  return parts;
}

}  // namespace gdbench::tests
