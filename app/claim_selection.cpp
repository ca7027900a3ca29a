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
    Result<claims::Claim> claim = claims::read_claim(file);
    if (!claim.ok()) return claim.error();
    const std::string id = claim.value().id;
    by_id.emplace(id, std::move(claim).value());
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
      const Result<claims::Claim> own = claims::read_claim(id);
      if (!own.ok()) return own.error();
      take(own.value());
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
  Result<std::vector<scenario::KnownScenario>> scenarios = scenario::list_scenarios(scenario_folders());
  if (!scenarios.ok()) return scenarios.error();
  for (const claims::Claim& claim : claims) {
    for (const claims::Experiment& experiment : claim.experiments) {
      scenario::add_scenario_files(experiment.matrix, scenarios.value());
    }
  }
  std::vector<claims::ExpandedClaim> expanded;
  for (const claims::Claim& claim : claims) {
    Result<claims::ExpandedClaim> one = claims::expand(claim, scenarios.value(), implementations);
    if (!one.ok()) return one.error();
    expanded.push_back(std::move(one).value());
  }
  return expanded;
}

Result<std::vector<report::ClaimJudgement>> judge_claims(const std::vector<claims::ExpandedClaim>& claims,
                                                         const report::Report& report) {
  std::vector<report::ClaimJudgement> judgements;
  for (const claims::ExpandedClaim& claim : claims) {
    Result<report::ClaimJudgement> judgement = claims::judge(claim, report);
    if (!judgement.ok()) return judgement.error();
    judgements.push_back(std::move(judgement).value());
  }
  return judgements;
}

}  // namespace gdbench::app
