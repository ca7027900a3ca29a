// The parts of an explanation's text. Each sentence ends with its evidence in brackets and a line feed; a part begins
// with an empty line, or is empty where there is nothing to say.
#pragma once

#include <string>

#include "harness/report/explanation.h"

namespace gdbench::render {

// What the two cells are called below the heading: ids without what the heading has.
struct Names {
  std::string heading;
  std::string a;
  std::string b;

  std::string of(const report::Explanation& explanation, const std::string& id) const;  // of any cell's id
};

// " [text]" and a line feed.
std::string evidence(const std::string& text);

// Which part of the difference are calls into frameworks, and which part is not.
std::string calls_words(const report::Explanation& explanation, const Names& names);
// All phases with their shares, the largest first, and the ops of those that are causes; wrapped.
std::string phases_words(const report::Explanation& explanation, const Names& names, int width);
// What was not measured, with the commands that measure it; those are not wrapped.
std::string missing_words(const report::Explanation& explanation, const Names& names, int width);

}  // namespace gdbench::render
