// What a report answers to the question behind a claim: the verdict, and why the two cells at the point that decides
// differ.
#pragma once

#include <optional>
#include <string>

#include "app/explained_cells.h"
#include "harness/base/result.h"
#include "harness/questions/claims/claim.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

// The cells at the point that decides, or at the first one that can be explained; nothing where there are none.
std::optional<CellPair> explained_pair(const report::ClaimJudgement& judgement, const report::Report& report);

// `judgement` is the report's of the claim. Errors: a description of a posted code that cannot be read.
Result<answers::AnsweredClaim> answered_claim(const claims::Claim& claim, const report::ClaimJudgement& judgement,
                                              const report::Report& report, const std::string& command);

}  // namespace gdbench::app
