#include "harness/base/text.h"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>

namespace gdbench {

namespace {

constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kLongestCompared = 100;
constexpr std::size_t kLongestSequence = 4;                // bytes of a character in UTF-8
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

// Bytes of the character that the text begins with; 0 where that is none.
std::size_t length_of_character(std::string_view text) {
  for (std::size_t length = 1; length <= kLongestSequence; ++length) {
    if (is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

// Of a whole character in UTF-8.
char32_t code_point(std::string_view character) {
  char32_t code = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) code &= 0xffU >> (character.size() + 1);
  for (const char byte : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
  return code;
}

// Whether a character does something instead of being shown; see escape_controls.
bool acts(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kRanges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200e, 0x200f},
                               {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfffe, 0xffff}};
  return std::ranges::any_of(kRanges, [&](const Range& range) { return range.first <= code && code <= range.last; });
}

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

// What a message shows of a text: its beginning, and that there is more.
std::string shortened(std::string_view text) {
  std::size_t length = std::min(text.size(), kLongestQuote);
  while (length < text.size() && length > 0 && is_continuation(text[length])) --length;
  return cat(text.substr(0, length), length < text.size() ? "..." : "");
}

}  // namespace

bool is_name(std::string_view text, std::string_view more) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && std::ranges::all_of(text, [&](char character) {
    return kAllowed.find(character) != std::string_view::npos || more.find(character) != std::string_view::npos;
  });
}

std::string without_environment(const std::string& id) { return id.substr(0, id.find(kEnvironmentMark)); }

std::string environment_of(const std::string& id) {
  return id.substr(std::min(without_environment(id).size() + 1, id.size()));
}

std::string in_quotes(std::string_view text) {
  std::string quoted;
  for (const char character : shortened(text)) {
    if (character == '"' || character == '\\') quoted += '\\';
    quoted += character;
  }
  return "\"" + escape_controls(quoted, "") + "\"";
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

std::string escape_controls(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const bool ends_line = text.starts_with("\r\n") && kept.find('\n') != std::string_view::npos;
    const std::size_t length = ends_line ? 2 : length_of_character(text);
    const std::string_view character = text.substr(0, length);
    if (ends_line) {
      result += character;
    } else if (length == 0) {
      result += kReplacement;
    } else if (acts(code_point(character)) && kept.find(character) == std::string_view::npos) {
      result += formatted("\\u%04x", static_cast<unsigned>(code_point(character)));
    } else {
      result += character;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char character) { return character == ' ' || ('\t' <= character && character <= '\r'); }, ' ');
  return escape_controls(text, "");
}

std::string address_part(std::string_view words) {
  std::string part;
  for (const char c : words) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!part.empty() && part.back() != '-') {
      part += '-';
    }
  }
  while (part.ends_with('-')) part.pop_back();
  return part;
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

std::string one_of(std::string_view text, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMost = 5;
  std::vector<std::pair<std::size_t, std::string>> named;
  for (const std::string& candidate : candidates) {
    const bool compared = candidates.size() > kMost && text.size() <= kLongestCompared;
    named.emplace_back(compared ? edit_distance(text, candidate) : 0, candidate);
  }
  std::ranges::stable_sort(named, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMost, named.size()); ++i) shown.push_back(shortened(named[i].second));
  const std::string others = candidates.size() > kMost ? cat(" and ", candidates.size() - kMost, " others") : "";
  return "one of " + joined(shown) + others + suggestion(text, candidates);
}

}  // namespace gdbench
