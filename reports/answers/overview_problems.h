// What a reader of the first screen must know before believing it: failures, rows without a rank, an unfit machine.
#pragma once

#include <vector>

#include "reports/answers/overview_sentences.h"

namespace gdbench::answers {

// Appends them, worst first, then how many cells ran and what is unsupported. A few sentences whatever the report
// holds.
void add_problems(const Overview& overview, std::vector<Sentence>& sentences);

}  // namespace gdbench::answers
