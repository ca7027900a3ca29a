// One relation of a claim beside a report: its points, what they say together and where it flips.
#pragma once

#include "harness/analysis/verdicts.h"
#include "harness/base/result.h"
#include "harness/questions/claims/cell_finder.h"
#include "harness/questions/claims/expand.h"
#include "harness/report/claim_judgement.h"
#include "harness/stats/estimate.h"

namespace gdbench::claims {

// How many points of the relation decide.
std::size_t deciding_points(const ExpandedRelation& expanded);

// `rules` are the report's: where a control forbids verdicts about a scenario, times of its cells decide nothing.
// Errors: a scenario that cannot be read.
Result<report::JudgedRelation> judge_relation(const ExpandedRelation& expanded, CellFinder& finder,
                                              const analysis::VerdictRules& rules,
                                              const stats::VerdictOptions& options);

// The ratios of a to b that the relation is about; for a crossover those at which nobody is ahead.
stats::Interval range_of(const report::ClaimRelation& relation);

}  // namespace gdbench::claims
