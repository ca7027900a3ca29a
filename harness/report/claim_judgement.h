// What a report says of claims: sentences about speed, each with the relations between measured cells that would
// confirm it. Typed data; the words are in reports/answers/claims.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"
#include "harness/report/quantity.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// ratio: quantity of a over that of b. saving: 1 - a / b. trend: what the ratio is multiplied by from the first value
// of an axis to the last. crossover: a is ahead at the first value, b at the last.
enum class RelationKind { ratio, saving, trend, crossover };
inline constexpr Named<RelationKind> kRelationKinds[] = {{RelationKind::ratio, "ratio"},
                                                         {RelationKind::saving, "saving"},
                                                         {RelationKind::trend, "trend"},
                                                         {RelationKind::crossover, "crossover"}};
constexpr const auto& rows_of(RelationKind /*any*/) { return kRelationKinds; }

constexpr bool goes_along(RelationKind kind) { return kind == RelationKind::trend || kind == RelationKind::crossover; }

// At how many of the deciding points it must hold.
enum class PointRule { all, any };
inline constexpr Named<PointRule> kPointRules[] = {{PointRule::all, "all"}, {PointRule::any, "any"}};
constexpr const auto& rows_of(PointRule /*any*/) { return kPointRules; }

// Keys as in a matrix, with a value each.
using Settings = std::vector<std::pair<std::string, std::string>>;

// What must hold of the cells that `a` and `b` choose, at every point that they have in common.
struct ClaimRelation {
  RelationKind kind = RelationKind::ratio;
  Quantity quantity = Quantity::step;
  Settings a;
  Settings b;
  std::optional<double> at_least;  // of what the kind says; a saving of 0.25 is 25%
  std::optional<double> at_most;
  PointRule rule = PointRule::all;
  bool decides = true;  // false: shown with the claim, for more
  std::string advice;   // what to do, which the relation shows the worth of; empty: it is no advice
  std::string along;    // the axis of trend and crossover; of the others where flips are looked for, may be empty
  std::vector<std::pair<std::string, std::vector<std::string>>> at;  // only there it decides; empty: everywhere
  std::vector<std::uint64_t> steps;                                  // of time_for_steps; an axis named "steps"
};

// The ratios of a to b that the relation is about, from 0 or to infinity where it has no such limit; for a crossover
// those at which the two are equal.
stats::Interval range_of(const ClaimRelation& relation);

// shown: on the way of a trend or a crossover, whose ends decide.
enum class PointState { holds, fails, undecided, not_run, shown };
inline constexpr Named<PointState> kPointStates[] = {{PointState::holds, "holds"},
                                                     {PointState::fails, "fails"},
                                                     {PointState::undecided, "undecided"},
                                                     {PointState::not_run, "not run"},
                                                     {PointState::shown, "shown"}};
constexpr const auto& rows_of(PointState /*any*/) { return kPointStates; }

struct JudgedPoint {
  Settings at;
  std::string a;  // cell ids; empty where the report has no such cell
  std::string b;
  bool decides = true;  // false: shown next to those that do
  PointState state = PointState::not_run;
  // Of a to b, also for a saving. A trend's deciding point, behind the others of its group, has what their ratio is
  // multiplied by. Absent where it was not run.
  std::optional<stats::Estimate> ratio;
  stats::Position position = stats::Position::across;  // of the ratio to the relation's range
  std::string remark;                                  // why it is undecided or was not run
  int needed_launches = 0;  // undecided: about so many would decide it; 0: no number that is worth a try
};

// Neighbours along an axis at which the relation turns from true to false or back.
struct Flip {
  Settings at;  // the other coordinates
  std::string axis;
  std::string from;
  std::string to;
  bool holds_at_from = true;
};

enum class ClaimVerdict { confirmed, refuted, inconclusive, not_run };
inline constexpr Named<ClaimVerdict> kClaimVerdicts[] = {{ClaimVerdict::confirmed, "confirmed"},
                                                         {ClaimVerdict::refuted, "refuted"},
                                                         {ClaimVerdict::inconclusive, "inconclusive"},
                                                         {ClaimVerdict::not_run, "not run"}};
constexpr const auto& rows_of(ClaimVerdict /*any*/) { return kClaimVerdicts; }

struct JudgedRelation {
  ClaimRelation relation;
  std::vector<JudgedPoint> points;  // in the matrix's order
  std::vector<Flip> flips;
  ClaimVerdict verdict = ClaimVerdict::not_run;
  std::optional<std::size_t> deciding;  // the point that speaks for the verdict
};

struct ClaimJudgement {
  std::string id;
  std::string sentence;
  std::string source;
  ClaimVerdict verdict = ClaimVerdict::not_run;
  std::vector<JudgedRelation> relations;
  std::size_t deciding = 0;  // the relation that the verdict rests on
  // inconclusive: so many launches of the claim's cells would decide it, in about that time with the verification of
  // each; 0: unknown.
  int needed_launches = 0;
  double needed_seconds = 0;
  std::string question{};  // as people ask it, and what they compared; may be empty
  std::string setting{};

  const JudgedRelation& deciding_relation() const { return relations.at(deciding); }
};

// Of the relations that decide: all must hold of a confirmed claim, and one that does not refutes it. What cannot be
// run outweighs what is undecided: no budget helps it.
ClaimVerdict verdict_of(const std::vector<ClaimVerdict>& relations);
ClaimVerdict verdict_of(const std::vector<JudgedPoint>& points, PointRule rule);

// {"schema": "gdbench-claims", "schema_version": ..., "claims": [...]}
OrderedJson to_json(const std::vector<ClaimJudgement>& judgements);

}  // namespace gdbench::report
