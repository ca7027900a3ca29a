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

// Of the row with the largest lead why the fastest leads the runner-up; how far the best framework is behind the
// fastest, over all rows, and why it is behind on that row.
void add_reasons(const Overview& overview, std::vector<Sentence>& sentences);

// What a reader must know before believing the grid: failures, rows without a rank, an unfit machine, worst first, then
// how many cells ran and what is unsupported. A few sentences whatever the report holds.
void add_problems(const Overview& overview, std::vector<Sentence>& sentences);

}  // namespace gdbench::answers
