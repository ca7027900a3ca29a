// The sentences below the grid of the first screen, most of them about more than one scenario.
#pragma once

#include <string>
#include <vector>

#include "reports/answers/format.h"
#include "reports/answers/overview.h"

namespace gdbench::answers {

struct Sentence {
  std::string text;
  int rank = 0;  // where there is no room for all, those with the highest are left out first
  Style style = Style::plain;
};

// Who wins and by how much, what is not distinguished, when it pays; then what add_problems has.
std::vector<Sentence> sentences_of(const Overview& overview);

}  // namespace gdbench::answers
