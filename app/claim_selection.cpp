#include "app/claim_selection.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/invocation.h"
#include "harness/base/text.h"
#include "harness/questions/claims/judge.h"

namespace gdbench::app {

namespace {

constexpr const char* kAll = "all";

}  // namespace

Result<std::vector<claims::Claim>> read_claims() {
  std::map<std::string, claims::Claim> by_id;
  for (const std::filesystem::path& file : files_beside_scenarios(kClaims)) {
    claims::Claim claim = TRY(claims::read_claim(file));
    const std::string id = claim.id;
    by_id.emplace(id, std::move(claim));
  }
  std::vector<claims::Claim> claims;
  for (auto& [id, claim] : by_id) claims.push_back(std::move(claim));
  return claims;
}

Result<std::vector<claims::Claim>> choose_claims(const std::vector<std::string>& ids) {
  Result<std::vector<claims::Claim>> claims = read_claims();
  if (!claims.ok()) return claims.error();
  std::vector<claims::Claim> chosen;
  std::vector<std::string> known;
  for (const claims::Claim& claim : claims.value()) known.push_back(claim.id);
  std::set<std::string> taken;
  const auto take = [&](const claims::Claim& claim) {
    if (taken.insert(claim.id).second) chosen.push_back(claim);
  };
  for (const std::string& id : ids) {
    if (scenario::is_path(id)) {
      take(TRY(claims::read_claim(id)));
      continue;
    }
    if (id != kAll && std::find(known.begin(), known.end(), id) == known.end()) {
      return usage_error("found no claim " + in_quotes(id) + ", expected all, a claim's file or one of " +
                         joined(known) + suggestion(id, known));
    }
    for (const claims::Claim& claim : claims.value()) {
      if (id == kAll || claim.id == id) take(claim);
    }
  }
  return chosen;
}

Result<std::vector<claims::ExpandedClaim>> expand_claims(const std::vector<claims::Claim>& claims,
                                                         const std::vector<std::string>& implementations) {
  std::vector<scenario::KnownScenario> scenarios = TRY(scenario::list_scenarios(scenario_folders()));
  for (const claims::Claim& claim : claims) {
    for (const claims::Experiment& experiment : claim.experiments) {
      scenario::add_scenario_files(experiment.matrix, scenarios);
    }
  }
  std::vector<claims::ExpandedClaim> expanded;
  for (const claims::Claim& claim : claims) {
    expanded.push_back(TRY(claims::expand(claim, scenarios, implementations)));
  }
  return expanded;
}

Result<std::vector<report::ClaimJudgement>> judge_claims(const std::vector<claims::ExpandedClaim>& claims,
                                                         const report::Report& report) {
  std::vector<report::ClaimJudgement> judgements;
  for (const claims::ExpandedClaim& claim : claims) {
    judgements.push_back(TRY(claims::judge(claim, report)));
  }
  return judgements;
}

}  // namespace gdbench::app
