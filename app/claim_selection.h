// The claims that there are, and those that a command is about.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/questions/claims/claim.h"
#include "harness/questions/claims/expand.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"

namespace gdbench::app {

// Every claim beside the scenarios, by id. Where two folders have one of the same id, the first folder's is taken.
Result<std::vector<claims::Claim>> read_claims();

// Those of these ids, of these files, or all for "all"; in this order, each once. Errors name an id that there is not.
Result<std::vector<claims::Claim>> choose_claims(const std::vector<std::string>& ids);

// `claims` are pointed to.
Result<std::vector<claims::ExpandedClaim>> expand_claims(const std::vector<claims::Claim>& claims,
                                                         const std::vector<std::string>& implementations);

Result<std::vector<report::ClaimJudgement>> judge_claims(const std::vector<claims::ExpandedClaim>& claims,
                                                         const report::Report& report);

}  // namespace gdbench::app
