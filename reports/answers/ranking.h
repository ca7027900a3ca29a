// Who is ahead among timed cells of a scenario: decided by the paired comparisons that tables show, never by two
// medians.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/analysis/verdicts.h"
#include "harness/report/report.h"

namespace gdbench::answers {

struct Ranking {
  const report::Cell* fastest = nullptr;  // by its time, unless another beats it; nullptr: there are no cells
  const report::Cell* next = nullptr;     // of the others by time
  std::vector<const report::Cell*> tied;  // not distinguished from the fastest, by time
  stats::Comparison lead;                 // time of `next` over that of `fastest`
  std::map<const report::Cell*, stats::Estimate> ratios;  // of the others' times to that of the fastest
  std::string undecidable;  // why there can be no verdict (a single launch, an unfit machine)

  // Whether the cell is the fastest, or not distinguished from it.
  bool ties(const report::Cell& cell) const { return &cell == fastest || std::ranges::find(tied, &cell) != tied.end(); }
  bool won() const { return next != nullptr && undecidable.empty() && tied.empty(); }
};

// Whether too few launches for a verdict show a difference that no other launch is likely to turn: all of the interval
// is beyond 1.5 times or its inverse.
bool is_clear(const stats::Comparison& comparison);

// Of timed cells of one scenario. Who is to win must have a verdict on every other one.
Ranking ranking_of(std::vector<const report::Cell*> cells, const analysis::Comparer& comparer);

}  // namespace gdbench::answers
