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

// For whoever asks about many scenarios of one report.
class Rankings {
 public:
  explicit Rankings(const report::Report& report) : comparer_(report) {}

  // Time of the candidate over that of the base: the stored ratio where the base is the candidate's baseline, else from
  // their samples.
  stats::Comparison compare(const report::Cell& base, const report::Cell& candidate) const {
    return comparer_.compare(base, candidate);
  }
  // Their ratio alone, at a confidence of the caller's.
  static stats::Estimate ratio(const report::Cell& base, const report::Cell& candidate, double confidence);
  // The comparison of the time to the target, of two cells that reached it.
  stats::Comparison compare_to_target(const report::Cell& base, const report::Cell& candidate) const;
  // Of timed cells of one scenario. Who is to win must have a verdict on every other one.
  Ranking of(std::vector<const report::Cell*> cells) const;

 private:
  // Why the comparison of the fastest with another decides nothing, whatever its figures; empty where it does.
  std::string undecidable(const stats::Comparison& comparison, const std::string& scenario) const;

  analysis::Comparer comparer_;
};

}  // namespace gdbench::answers
