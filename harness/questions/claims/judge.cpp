#include "harness/questions/claims/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/questions/claims/relation_judge.h"

namespace gdbench::claims {

namespace {

using report::ClaimJudgement;
using report::ClaimVerdict;
using report::JudgedPoint;
using report::PointState;

stats::VerdictOptions options_for(const ExpandedClaim& claim) {
  std::size_t points = 0;
  for (const ExpandedRelation& relation : claim.relations) {
    if (relation.relation->decides) points += deciding_points(relation);
  }
  stats::VerdictOptions options;
  options.confidence = 1 - (1 - options.confidence) / static_cast<double>(std::max<std::size_t>(points, 1));
  return options;
}

// What a launch of all the claim's cells takes: those of a scenario run side by side, scenarios one after the other.
double seconds_of_a_launch(const ClaimJudgement& judgement, const report::Report& report) {
  std::set<std::string> ids;
  for (const report::JudgedRelation& relation : judgement.relations) {
    for (const JudgedPoint& point : relation.points) ids.insert({point.a, point.b});
  }
  std::unordered_map<std::string, double> scenarios;
  for (const report::Cell& cell : report.cells) {
    if (!ids.contains(cell.id) || !cell.summary) continue;
    double& seconds = scenarios[cell.scenario];
    seconds = std::max(seconds, cell.summary->launch_seconds);
  }
  double sum = 0;
  for (const auto& [scenario, seconds] : scenarios) sum += seconds;
  return sum;
}

// All undecided points of a relation are to be decided, or one of them where one is enough; 0 where that is hopeless.
int needed_launches_of(const report::JudgedRelation& relation) {
  std::vector<int> needed;
  for (const JudgedPoint& point : relation.points) {
    if (point.decides && point.state == PointState::undecided) needed.push_back(point.needed_launches);
  }
  if (relation.relation.rule == report::PointRule::any) {
    std::erase(needed, 0);
    return needed.empty() ? 0 : *std::min_element(needed.begin(), needed.end());
  }
  const bool hopeless = needed.empty() || std::find(needed.begin(), needed.end(), 0) != needed.end();
  return hopeless ? 0 : *std::max_element(needed.begin(), needed.end());
}

void add_need(const report::Report& report, ClaimJudgement& judgement) {
  for (const report::JudgedRelation& relation : judgement.relations) {
    if (!relation.relation.decides || relation.verdict != ClaimVerdict::inconclusive) continue;
    const int launches = needed_launches_of(relation);
    if (launches == 0) {
      judgement.needed_launches = 0;
      return;
    }
    judgement.needed_launches = std::max(judgement.needed_launches, launches);
  }
  judgement.needed_seconds = judgement.needed_launches * seconds_of_a_launch(judgement, report);
}

}  // namespace

Result<ClaimJudgement> judge(const ExpandedClaim& claim, const report::Report& report) {
  ClaimJudgement judgement;
  judgement.id = claim.claim->id;
  judgement.sentence = claim.claim->sentence;
  judgement.source = claim.claim->source;
  CellFinder finder(report);
  const analysis::VerdictRules rules(report);
  const stats::VerdictOptions options = options_for(claim);
  std::vector<ClaimVerdict> verdicts;
  for (const ExpandedRelation& expanded : claim.relations) {
    report::JudgedRelation relation = TRY(judge_relation(expanded, finder, rules, options));
    if (expanded.relation->decides) verdicts.push_back(relation.verdict);
    judgement.relations.push_back(std::move(relation));
  }
  judgement.verdict = report::verdict_of(verdicts);
  const auto deciding =
      std::find_if(judgement.relations.begin(), judgement.relations.end(), [&](const report::JudgedRelation& relation) {
        return relation.relation.decides && relation.verdict == judgement.verdict;
      });
  judgement.deciding = static_cast<std::size_t>(deciding - judgement.relations.begin());
  if (judgement.verdict == ClaimVerdict::inconclusive) add_need(report, judgement);
  return judgement;
}

}  // namespace gdbench::claims
