// What a report says of a claim. Pure but for reading the scenarios that the claim names.
#pragma once

#include "harness/base/result.h"
#include "harness/questions/claims/expand.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::claims {

// `report` is summarised. A point is judged only where both cells are ok and timed, and by times only where no control
// of their scenarios says that the machine was unfit; the intervals of a claim's deciding points hold at 95% together
// (Bonferroni). Errors: a scenario that cannot be read.
Result<report::ClaimJudgement> judge(const ExpandedClaim& claim, const report::Report& report);

// The fewest launches of its cells that can decide the claim: its intervals are the surer the more points it has.
int fewest_launches(const ExpandedClaim& claim, stats::Looks looks);

}  // namespace gdbench::claims
