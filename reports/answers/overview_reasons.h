// Why the winner wins: sentences below the grid of the first screen about the row with the largest lead.
#pragma once

#include <vector>

#include "reports/answers/overview_sentences.h"

namespace gdbench::answers {

// Of the row with the largest lead why the fastest leads the runner-up; how far the best framework is behind the
// fastest, over all rows, and why it is behind on that row.
void add_reasons(const Overview& overview, std::vector<Sentence>& sentences);

}  // namespace gdbench::answers
