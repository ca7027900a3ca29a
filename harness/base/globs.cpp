#include "harness/base/globs.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>

#include "harness/base/text.h"

namespace gdbench {

namespace {

constexpr std::size_t kMostGlobs = 1000;

// A brace and its partner, and the commas between them, none of which lies in braces within.
struct Braces {
  std::size_t begin = 0;
  std::vector<std::size_t> commas;
  std::size_t end = 0;
};

std::optional<Braces> first_braces(std::string_view text) {
  for (std::size_t begin = text.find('{'); begin != std::string_view::npos; begin = text.find('{', begin + 1)) {
    Braces braces{.begin = begin, .commas = {}, .end = 0};
    int depth = 0;
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
      if (text[i] == '{') ++depth;
      if (text[i] == ',' && depth == 0) braces.commas.push_back(i);
      if (text[i] != '}' || depth-- > 0) continue;
      braces.end = i;
      return braces;
    }
  }
  return std::nullopt;
}

// False where there are too many.
bool add_alternatives(const std::string& glob, std::vector<std::string>& globs) {
  const std::optional<Braces> braces = first_braces(glob);
  if (!braces) {
    globs.push_back(glob);
    return globs.size() <= kMostGlobs;
  }
  std::vector<std::size_t> ends = braces->commas;
  ends.push_back(braces->end);
  std::size_t begin = braces->begin + 1;
  for (const std::size_t end : ends) {
    const std::string alternative = glob.substr(begin, end - begin);
    if (!add_alternatives(glob.substr(0, braces->begin) + alternative + glob.substr(braces->end + 1), globs)) {
      return false;
    }
    begin = end + 1;
  }
  return true;
}

}  // namespace

bool glob_match(const std::string& pattern, const std::string& text) {
  return pattern == text || fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

bool matches_any(const std::vector<std::string>& globs, const std::string& text) {
  return std::ranges::any_of(globs, [&](const std::string& glob) { return glob_match(glob, text); });
}

Status add_globs(const std::string& option, std::string_view value, Globs& globs) {
  int depth = 0;
  for (std::size_t begin = 0, end = 0; end <= value.size(); ++end) {
    const char letter = end < value.size() ? value[end] : ',';
    if (letter == '{') ++depth;
    if (letter == '}') depth = std::max(0, depth - 1);
    if (end < value.size() && (letter != ',' || depth > 0)) continue;
    const std::string_view glob = value.substr(begin, end - begin);
    const bool unwanted = glob.starts_with('!');
    if (!add_alternatives(std::string(glob.substr(unwanted ? 1 : 0)), unwanted ? globs.unwanted : globs.wanted)) {
      return usage_error(cat(option, ": found more than ", kMostGlobs, " alternatives in braces, expected fewer"));
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace gdbench
