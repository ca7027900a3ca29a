#include "app/answered_claims.h"

#include "harness/questions/fairness/comparison.h"
#include "harness/questions/fairness/description.h"

namespace gdbench::app {

namespace {

Result<std::optional<fairness::Comparison>> posted_codes(const claims::Claim& claim) {
  if (claim.posted.empty()) return std::optional<fairness::Comparison>();
  const fairness::Description a = TRY(fairness::read_description(claim.posted.front()));
  const fairness::Description b = TRY(fairness::read_description(claim.posted.back()));
  return std::optional(fairness::compare(a, b));
}

}  // namespace

std::optional<CellPair> explained_pair(const report::ClaimJudgement& judgement, const report::Report& report) {
  const auto pair_at = [&](const report::JudgedPoint& point) -> std::optional<CellPair> {
    const CellPair pair{report.find_cell(point.a), report.find_cell(point.b)};
    if (pair.a == nullptr || pair.b == nullptr || pair.a == pair.b) return std::nullopt;
    const bool is_timed = is_comparable(*pair.a) && is_comparable(*pair.b);
    const bool is_alike = report.find_scenario(pair.a->scenario)->name == report.find_scenario(pair.b->scenario)->name;
    return is_timed && is_alike ? std::optional(pair) : std::nullopt;
  };
  if (judgement.deciding >= judgement.relations.size()) return std::nullopt;
  const report::JudgedRelation& relation = judgement.deciding_relation();
  if (relation.deciding) {
    if (const auto pair = pair_at(relation.points[*relation.deciding])) return pair;
  }
  for (const report::JudgedPoint& point : relation.points) {
    if (const auto pair = pair_at(point)) return pair;
  }
  return std::nullopt;
}

Result<answers::AnsweredClaim> answered_claim(const claims::Claim& claim, const report::ClaimJudgement& judgement,
                                              const report::Report& report, const std::string& command) {
  answers::AnsweredClaim answered{judgement, TRY(posted_codes(claim)), {}, command};
  if (const auto pair = explained_pair(judgement, report)) {
    answered.explanation = explanations_of(report, {*pair}).front();
  }
  return answered;
}

}  // namespace gdbench::app
