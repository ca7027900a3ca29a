#include "harness/base/text.h"

#include <algorithm>
#include <numeric>

namespace gdbench {

namespace {

constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kLongestCompared = 100;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7f;
}

// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  std::size_t length = std::min(text.size(), kLongestQuote);
  while (length < text.size() && length > 0 && is_continuation(text[length])) --length;
  for (const char character : text.substr(0, length)) {
    const auto code = static_cast<unsigned char>(character);
    if (is_control(character)) {
      result += "\\x";
      result += kDigits[code >> 4U];
      result += kDigits[code & 15U];
    } else {
      if (character == '"' || character == '\\') result += '\\';
      result += character;
    }
  }
  return result + (length < text.size() ? "...\"" : "\"");
}

bool is_utf8(std::string_view text) {
  // Well-formed sequences as in table 3-7 of the Unicode standard: the second byte's range depends on the first.
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80) {
      ++i;
      continue;
    }
    if (first < 0xc2 || first > 0xf4) return false;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (text.size() - i < length) return false;
    for (std::size_t j = 1; j < length; ++j) {
      if (!is_continuation(text[i + j])) return false;
    }
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if (first == 0xe0 && second < 0xa0) return false;
    if (first == 0xed && second > 0x9f) return false;
    if (first == 0xf0 && second < 0x90) return false;
    if (first == 0xf4 && second > 0x8f) return false;
    i += length;
  }
  return true;
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string result;
  for (const std::string& part : parts) {
    if (!result.empty()) result += separator;
    result += part;
  }
  return result;
}

std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
  if (text.size() > kLongestCompared) return "";
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view text, const std::vector<std::string>& candidates) {
  const std::string best = nearest(text, candidates);
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

}  // namespace gdbench
