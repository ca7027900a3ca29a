#include "harness/report/claim_judgement.h"

#include <algorithm>

namespace gdbench::report {

namespace {

bool contains(const std::vector<ClaimVerdict>& verdicts, ClaimVerdict verdict) {
  return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
}

}  // namespace

ClaimVerdict verdict_of(const std::vector<ClaimVerdict>& relations) {
  for (const ClaimVerdict verdict : {ClaimVerdict::refuted, ClaimVerdict::not_run, ClaimVerdict::inconclusive}) {
    if (contains(relations, verdict)) return verdict;
  }
  return relations.empty() ? ClaimVerdict::not_run : ClaimVerdict::confirmed;
}

ClaimVerdict verdict_of(const std::vector<JudgedPoint>& points, PointRule rule) {
  bool holds = false;
  bool fails = false;
  bool undecided = false;
  bool not_run = false;
  for (const JudgedPoint& point : points) {
    if (!point.decides) continue;
    holds = holds || point.state == PointState::holds;
    fails = fails || point.state == PointState::fails;
    undecided = undecided || point.state == PointState::undecided;
    not_run = not_run || point.state == PointState::not_run;
  }
  if (rule == PointRule::all && fails) return ClaimVerdict::refuted;
  if (rule == PointRule::any && holds) return ClaimVerdict::confirmed;
  if (not_run || !(holds || fails || undecided)) return ClaimVerdict::not_run;
  if (undecided) return ClaimVerdict::inconclusive;
  return rule == PointRule::all ? ClaimVerdict::confirmed : ClaimVerdict::refuted;
}

}  // namespace gdbench::report
