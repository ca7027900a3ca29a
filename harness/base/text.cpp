#include "harness/base/text.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace gdbench {

namespace {

constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kLongestCompared = 100;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// Insertions, deletions, substitutions and swaps of neighbours (Damerau's edits, "optimal string alignment").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t substituted = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7f;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  std::size_t length = std::min(text.size(), kLongestQuote);
  while (length < text.size() && length > 0 && is_continuation(text[length])) --length;
  for (const char character : text.substr(0, length)) {
    if (is_control(character)) {
      result += formatted("\\x%02x", static_cast<unsigned>(character) & 0xffU);
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

std::string quoted_for_shell(const std::string& word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@") ==
      std::string::npos;
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char letter : word) letter == '\'' ? quoted += "'\\''" : quoted += letter;
  return quoted + "'";
}

std::string formatted(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(static_cast<std::size_t>(std::max(length, 0)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

std::string concatenated(std::initializer_list<std::string_view> parts) {
  std::string result;
  for (const std::string_view part : parts) result += part;
  return result;
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
  std::size_t best_distance = std::min(text.size(), std::max<std::size_t>(1, text.size() / 3) + 1);
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
