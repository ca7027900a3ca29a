#include "harness/result/claim_judgement.h"

#include <algorithm>

namespace gdbench::result {

namespace {

bool contains(const std::vector<ClaimVerdict>& verdicts, ClaimVerdict verdict) {
  return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
}

}  // namespace

const char* name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::step:
      return "step";
    case Quantity::first_step:
      return "first_step";
    case Quantity::time_for_steps:
      return "time_for_steps";
    case Quantity::peak_memory:
      return "peak_memory";
    case Quantity::own_memory:
      return "own_memory";
    case Quantity::time_to_target:
      return "time_to_target";
    case Quantity::steps_to_target:
      return "steps_to_target";
  }
  return "?";
}

const char* name_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::ratio:
      return "ratio";
    case RelationKind::saving:
      return "saving";
    case RelationKind::trend:
      return "trend";
    case RelationKind::crossover:
      return "crossover";
  }
  return "?";
}

const char* name_of(PointRule rule) { return rule == PointRule::all ? "all" : "any"; }

const char* name_of(PointState state) {
  switch (state) {
    case PointState::holds:
      return "holds";
    case PointState::fails:
      return "fails";
    case PointState::undecided:
      return "undecided";
    case PointState::not_run:
      return "not run";
    case PointState::shown:
      return "shown";
  }
  return "?";
}

const char* name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::confirmed:
      return "confirmed";
    case ClaimVerdict::refuted:
      return "refuted";
    case ClaimVerdict::inconclusive:
      return "inconclusive";
    case ClaimVerdict::not_run:
      return "not run";
  }
  return "?";
}

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

}  // namespace gdbench::result
