// The claims that a command is about: chosen, measured, judged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/invocation.h"
#include "app/request.h"
#include "harness/base/result.h"
#include "harness/questions/claims/claim.h"
#include "harness/questions/claims/expand.h"
#include "harness/report/claim_judgement.h"
#include "harness/report/report.h"

namespace gdbench::app {

inline constexpr const char* kAllClaims = "all";

// Every claim next to the scenarios, by id. Where two folders have one of the same id, the first folder's is taken.
Result<std::vector<claims::Claim>> read_claims();

// Those of these ids, of these files, or all for "all"; in this order, each once. Errors name an id that there is not.
Result<std::vector<claims::Claim>> choose_claims(const std::vector<std::string>& ids);

// Prints what a report says of claims.
using PrintClaims = std::function<Status(const std::vector<report::ClaimJudgement>&, const report::Report&)>;

// What a report says of claims, one after the other.
Result<std::vector<report::ClaimJudgement>> judged_by(const std::vector<claims::Claim>& claims,
                                                      const report::Report& report);
// Judges claims by the report in a file.
Status judge_stored(const std::vector<claims::Claim>& claims, const std::string& file, const PrintClaims& print);

struct ClaimRunOptions {
  Request request;
  std::string until;  // empty: a claim's cells have their launches whatever they say
  bool dry_run = false;
};

// All of them; `budget` is the default of --budget in words.
void add_claim_run_options(CLI::App& command, ClaimRunOptions& options, const std::string& budget);

// Measures whatever of the claims' cells can be run here, cells that several claims need once, then profiles the two at
// the point that decides each claim, and judges. Returns the exit status.
Result<int> measure_claims(const std::vector<claims::Claim>& claims, const ClaimRunOptions& options,
                           const Invocation& invocation, const PrintClaims& print);

}  // namespace gdbench::app
