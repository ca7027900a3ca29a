#include "harness/report/claim_judgement.h"

#include <algorithm>
#include <limits>

#include "harness/report/fields.h"

namespace gdbench::report {

stats::Interval range_of(const ClaimRelation& relation) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (relation.kind) {
    case RelationKind::ratio:
    case RelationKind::trend:
      break;
    case RelationKind::saving:  // 1 - ratio
      return {relation.at_most ? 1 - *relation.at_most : 0, relation.at_least ? 1 - *relation.at_least : kInfinity};
    case RelationKind::crossover:
      return stats::margin_range(stats::VerdictOptions{}.margin);
  }
  return {relation.at_least.value_or(0), relation.at_most.value_or(kInfinity)};
}

ClaimVerdict verdict_of(const std::vector<ClaimVerdict>& relations) {
  for (const ClaimVerdict verdict : {ClaimVerdict::refuted, ClaimVerdict::not_run, ClaimVerdict::inconclusive}) {
    if (std::ranges::find(relations, verdict) != relations.end()) return verdict;
  }
  return relations.empty() ? ClaimVerdict::not_run : ClaimVerdict::confirmed;
}

ClaimVerdict verdict_of(const std::vector<JudgedPoint>& points, PointRule rule) {
  const auto any = [&](PointState state) {
    return std::ranges::any_of(points, [&](const JudgedPoint& point) { return point.decides && point.state == state; });
  };
  if (rule == PointRule::all && any(PointState::fails)) return ClaimVerdict::refuted;
  if (rule == PointRule::any && any(PointState::holds)) return ClaimVerdict::confirmed;
  if (any(PointState::not_run)) return ClaimVerdict::not_run;
  if (any(PointState::undecided)) return ClaimVerdict::inconclusive;
  if (!any(PointState::holds) && !any(PointState::fails)) return ClaimVerdict::not_run;
  return rule == PointRule::all ? ClaimVerdict::confirmed : ClaimVerdict::refuted;
}

void fields(auto& archive, Of<ClaimRelation> auto& relation) {
  FIELDS(archive, relation, kind, quantity, a, b, at_least, at_most);
  archive.field("points", relation.rule);
  archive.field("decides", relation.decides);
  archive.unless_empty("advice", relation.advice);
  archive.unless_empty("along", relation.along);
}

void fields(auto& archive, Of<JudgedPoint> auto& point) {
  FIELDS(archive, point, at, a, b, decides, state, ratio);
  if (point.ratio) archive.field("position", point.position);
  archive.unless_empty("remark", point.remark);
  if (point.needed_launches > 0) archive.field("needed_launches", point.needed_launches);
}

FIELDS_OF(Flip, at, axis, from, to, holds_at_from)

void fields(auto& archive, Of<JudgedRelation> auto& judged) {
  fields(archive, judged.relation);
  archive.field("verdict", judged.verdict);
  archive.optional("deciding_point", judged.deciding);
  archive.field("judged", judged.points);
  archive.field("flips", judged.flips);
}

namespace {

struct Needed {
  int launches = 0;
  double seconds = 0;
};
FIELDS_OF(Needed, launches, seconds)

}  // namespace

void fields(auto& archive, Of<ClaimJudgement> auto& judgement) {
  FIELDS(archive, judgement, id, sentence, source);
  archive.unless_empty("question", judgement.question);
  archive.unless_empty("setting", judgement.setting);
  archive.field("verdict", judgement.verdict);
  archive.field("deciding_relation", judgement.deciding);
  if (judgement.needed_launches > 0) {
    archive.field("needed", Needed{judgement.needed_launches, judgement.needed_seconds});
  }
  archive.field("relations", judgement.relations);
}

OrderedJson to_json(const std::vector<ClaimJudgement>& judgements) {
  return RecordWriter::document("gdbench-claims", 1, 2, "claims", judgements);
}

}  // namespace gdbench::report
