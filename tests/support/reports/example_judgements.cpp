#include "tests/support/reports/example_judgements.h"

#include <utility>

namespace gdbench::tests {

namespace {

using namespace report;

JudgedPoint point(Settings at, PointState state, stats::Estimate ratio, stats::Position position) {
  JudgedPoint judged;
  judged.at = std::move(at);
  judged.a = "scenario/one/x";
  judged.b = "scenario/two/x";
  judged.state = state;
  judged.ratio = ratio;
  judged.position = position;
  return judged;
}

JudgedPoint not_run(Settings at, std::string remark) {
  JudgedPoint judged;
  judged.at = std::move(at);
  judged.remark = std::move(remark);
  return judged;
}

JudgedRelation relation(RelationKind kind, Quantity quantity, std::vector<JudgedPoint> points, ClaimVerdict verdict,
                        std::size_t deciding) {
  JudgedRelation judged;
  judged.relation.kind = kind;
  judged.relation.quantity = quantity;
  judged.relation.a = {{"implementation", "one/x"}};
  judged.relation.b = {{"implementation", "two/x"}};
  judged.points = std::move(points);
  judged.verdict = verdict;
  judged.deciding = deciding;
  return judged;
}

ClaimJudgement confirmed() {
  JudgedPoint shown =
      point({{"batch.rows", "1000"}}, PointState::fails, {1.1, {1.05, 1.16}, 6, false}, stats::Position::below);
  shown.decides = false;
  JudgedRelation ratio = relation(
      RelationKind::ratio, Quantity::step,
      {point({{"batch.rows", "1"}}, PointState::holds, {3.125, {2.9, 3.3}, 6, false}, stats::Position::within),
       point({{"batch.rows", "32"}}, PointState::holds, {2.1, {2.05, 2.2}, 6, false}, stats::Position::within), shown},
      ClaimVerdict::confirmed, 1);
  ratio.relation.at_least = 2;
  ratio.relation.at = {{"batch.rows", {"1", "32"}}};
  ratio.flips = {{{}, "batch.rows", "32", "1000", true}};
  JudgedPoint first =
      point({{"batch.rows", "1"}}, PointState::shown, {3.125, {2.9, 3.3}, 6, false}, stats::Position::across);
  JudgedPoint last =
      point({{"batch.rows", "1000"}}, PointState::shown, {1.1, {1.05, 1.16}, 6, false}, stats::Position::across);
  first.decides = last.decides = false;
  JudgedRelation trend = relation(RelationKind::trend, Quantity::step,
                                  {first, last,
                                   point({{"batch.rows", "1 to 1000"}}, PointState::holds,
                                         {0.352, {0.34, 0.36}, 6, false}, stats::Position::within)},
                                  ClaimVerdict::confirmed, 2);
  trend.relation.at_most = 0.8;
  trend.relation.along = "batch.rows";
  trend.relation.decides = false;
  return {"a-is-slow", "A is slow in small batches.", "A page", ClaimVerdict::confirmed, {ratio, trend}, 0, 0, 0};
}

ClaimJudgement refuted() {
  JudgedRelation counts = relation(
      RelationKind::saving, Quantity::steps_to_target,
      {point({{"condition", "1"}}, PointState::fails, {1.002, {1.002, 1.002}, 1, false}, stats::Position::above),
       point({{"condition", "100"}}, PointState::holds, {0.06, {0.06, 0.06}, 1, false}, stats::Position::within)},
      ClaimVerdict::refuted, 0);
  counts.relation.a = {{"optimizer.kind", "adam"}, {"implementation", "one/x"}};
  counts.relation.b = {{"optimizer.kind", "sgd"}};
  counts.relation.at_least = 0.25;
  counts.flips = {{{{"batch.rows", "8"}}, "condition", "1", "100", false}};
  return {"fewer-steps", "It takes a quarter fewer steps.", "Another page", ClaimVerdict::refuted, {counts}, 0, 0, 0};
}

ClaimJudgement inconclusive() {
  JudgedPoint across =
      point({{"rows", "3"}}, PointState::undecided, {0.98, {0.93, 1.04}, 4, false}, stats::Position::across);
  across.remark = "the interval reaches across the limit";
  across.needed_launches = 20;
  JudgedPoint middle =
      point({{"rows", "30"}}, PointState::shown, {1, {0.995, 1.005}, 4, false}, stats::Position::within);
  middle.decides = false;
  JudgedRelation crossing =
      relation(RelationKind::crossover, Quantity::time_for_steps,
               {across, middle,
                point({{"rows", "300"}}, PointState::holds, {2.5, {2.4, 2.6}, 4, false}, stats::Position::above)},
               ClaimVerdict::inconclusive, 0);
  crossing.relation.steps = {1000};
  crossing.relation.along = "rows";
  return {"small-wins", "A wins when it is small.", "A page", ClaimVerdict::inconclusive, {crossing}, 0, 20, 2100};
}

ClaimJudgement not_run() {
  JudgedRelation ratio = relation(
      RelationKind::ratio, Quantity::peak_memory,
      {not_run({{"rows", "3"}}, "no implementation two/x"), not_run({{"rows", "30"}}, "no implementation two/x")},
      ClaimVerdict::not_run, 0);
  ratio.relation.at_least = 1.1;
  ratio.relation.at_most = 1.5;
  ratio.relation.rule = PointRule::any;
  return {"more-memory", "A uses more memory | than B.", "A page", ClaimVerdict::not_run, {ratio}, 0, 0, 0};
}

}  // namespace

std::vector<ClaimJudgement> example_judgements() { return {confirmed(), refuted(), inconclusive(), not_run()}; }

}  // namespace gdbench::tests
