// One relation of a claim beside a report: its points, what they say together and where it flips.
#pragma once

#include "harness/base/result.h"
#include "harness/claims/cell_finder.h"
#include "harness/claims/expand.h"
#include "harness/result/claim_judgement.h"
#include "harness/result/verdicts.h"
#include "harness/stats/estimate.h"

namespace gdbench::claims {

// How many points of the relation decide.
std::size_t deciding_points(const ExpandedRelation& expanded);

// `rules` are the report's: where a control forbids verdicts about a scenario, times of its cells decide nothing.
// Errors: a scenario that cannot be read.
Result<result::JudgedRelation> judge_relation(const ExpandedRelation& expanded, CellFinder& finder,
                                              const result::VerdictRules& rules, const stats::VerdictOptions& options);

// The ratios of a to b that the relation is about; for a crossover those at which nobody is ahead.
stats::Interval range_of(const result::ClaimRelation& relation);

}  // namespace gdbench::claims
