// Globs over the names of scenarios and implementations, as shells have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace gdbench {

// Whether the whole text matches: * stands for any text, ? for a character, [a-c] for one of these, [!a-c] for another.
// A name matches itself, even with these characters in it.
bool glob_match(const std::string& pattern, const std::string& text);

bool matches_any(const std::vector<std::string>& globs, const std::string& text);

// What an option names: what it wants, and what of that it does not.
struct Globs {
  std::vector<std::string> wanted;  // empty: no restriction
  std::vector<std::string> unwanted;
};

// Adds what a value of an option names: globs between commas, of which those behind ! are unwanted; alternatives stand
// in braces. "hand/*,!hand/naive", "{hand,tape}/eigen". Braces without a partner stand for themselves. Errors: more
// than a thousand alternatives.
Status add_globs(const std::string& option, std::string_view value, Globs& globs);

}  // namespace gdbench
