// How much of what the processor can do a cell uses.
//
// floor of a step = the longest of
//   operations  multiply-adds over the FMA rate of the cell's dtype, and exponentials over their rate, on the
//               multipliers; divisions and square roots on the divider or, refined from estimates, on the multipliers,
//               with the shares that keep both busy to the end.
//   bytes       those of each transfer (harness/analysis/least_work.h) over the best bandwidth of a measured span of
//               the same arrays: the longest one that is no longer. The longest transfer counts, for two of them may go
//               on at the same time.
//   chain       dependent operations from this step's parameters to the next one's, times their latency.
// share = floor over the step's time. A cell of T threads is judged by what T threads reached at the same time; where
// that was not measured, T threads divide operations and bytes by T, never the chain. A share above 1 says that a
// ceiling is wrong, by no more than its measurement's error, and is marked as failed; a cell that is beyond that is
// untrusted (harness/measure/session).
#pragma once

#include <optional>
#include <vector>

#include "harness/analysis/least_work.h"
#include "harness/report/report.h"

namespace gdbench::analysis {

// The best of every figure over the widths of those measurements that have so many threads; nothing without one.
std::optional<report::VectorCeilings> best_of(const std::vector<report::CeilingsMeasurement>& measurements,
                                              int threads);

// Fills best and teams.
void add_best(report::Ceilings& ceilings);

// What the floors of the report's ranked cells need measured, as far as it is known: spans for one number of threads,
// and the numbers of threads, of which one always is.
std::vector<report::Span> wanted_spans(const report::Report& report, int threads);
std::vector<int> wanted_threads(const report::Report& report);

// A span as it is measured: no shorter than the first of the levels' working sets, no longer than the last one's.
report::Span measured_span(report::Span span, const std::vector<report::LevelCeiling>& levels);

// By what `threads` times as much as `ceilings` takes. Nothing where a ceiling that the floor needs was not measured.
// `step_ns` must be positive.
std::optional<report::CeilingShare> ceiling_share(const LeastWork& work, int threads, double step_ns,
                                                  const report::VectorCeilings& ceilings);

// The same of a cell whose step takes `step_ns`, by the report's best ceilings. Nothing for a cell that is not ranked:
// it may skip arithmetic on purpose.
std::optional<report::CeilingShare> ceiling_share(const report::Report& report, const report::Cell& cell,
                                                  double step_ns);

// The same by what each launch measured between the cell's own blocks: the median of the launches' shares, with its
// interval. Nothing where launches measured nothing, not all that the floor needs, or twice, in parts of a run.
std::optional<report::CeilingShare> ceiling_share_by_launch(const report::Report& report, const report::Cell& cell);

// Fills ceilings.best and ceilings.teams and, for every ranked cell with a summary, its share.
void add_ceiling_shares(report::Report& report);

}  // namespace gdbench::analysis
