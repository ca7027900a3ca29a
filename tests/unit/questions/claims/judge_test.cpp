// What a claim is found to be, by kind of relation, and which cells its verdict rests on.
#include "harness/questions/claims/judge.h"

#include <gtest/gtest.h>

#include "tests/unit/questions/claims/judged_report.h"

namespace gdbench::claims {
namespace {

using nlohmann::json;
using report::ClaimJudgement;
using report::ClaimVerdict;
using report::PointState;
using scenario::Point;
using tests::claim_of;
using tests::judge;
using tests::MadeCell;
using tests::needed;
using tests::number_of;
using tests::slower;

const json kA = {{"implementation", "one/x"}};
const json kB = {{"implementation", "two/x"}};

json batches() {
  return {{"axes", {{"scenario", "mlp-10-50-1"}, {"batch", {1, 32, 256}}, {"implementation", {"one/x", "two/x"}}}}};
}

json relation(const char* kind, json more) {
  json object = {{"kind", kind}, {"quantity", "step"}, {"a", kA}, {"b", kB}};
  object.update(more);
  return json::array({object});
}

Claim ratio_claim(json more) { return claim_of(batches(), relation("ratio", std::move(more))); }

// The ratio of one/x to two/x is `first` at the first batch and goes to `last` at the last one.
tests::MakeCell from_to(double first, double last) {
  return [=](const Point& point) {
    const double batch = number_of(point, "batch");
    const double ratio = batch < 2 ? first : batch < 100 ? (first + last) / 2 : last;
    return MadeCell{.step_ns = point.implementation == "one/x" ? 1000 * ratio : 1000};
  };
}

struct Judged {
  const char* kind;
  json limits;
  double first;  // see from_to
  double last;
  ClaimVerdict verdict;
};

TEST(Relation, HoldsOrNot) {
  constexpr ClaimVerdict kConfirmed = ClaimVerdict::confirmed;
  constexpr ClaimVerdict kRefuted = ClaimVerdict::refuted;
  const json saving = {{"at_least", 0.25}};
  const json small_saving = {{"at_most", 0.1}};
  const json range = {{"at_least", 3}, {"at_most", 5}};
  const json shrinks = {{"at_most", 0.8}, {"along", "batch"}};
  const json along = {{"along", "batch"}};
  const Judged cases[] = {
      {"ratio", {{"at_least", 20}, {"points", "any"}}, 1, 24, kConfirmed},
      {"ratio", {{"at_least", 30}, {"points", "any"}}, 1, 24, kRefuted},
      {"ratio", range, 4, 4, kConfirmed},
      {"ratio", range, 6, 6, kRefuted},
      {"ratio", range, 2, 2, kRefuted},
      {"saving", saving, 0.7, 0.7, kConfirmed},
      {"saving", saving, 0.8, 0.8, kRefuted},
      {"saving", saving, 1.5, 1.5, kRefuted},
      {"saving", small_saving, 0.95, 0.95, kConfirmed},
      {"saving", small_saving, 0.8, 0.8, kRefuted},
      {"trend", shrinks, 6, 3, kConfirmed},
      {"trend", shrinks, 3, 3, kRefuted},
      {"trend", shrinks, 3, 6, kRefuted},
      {"crossover", along, 0.5, 3, kConfirmed},
      {"crossover", along, 0.5, 0.8, kRefuted},
      {"crossover", along, 1, 3, kRefuted},    // nobody is ahead at the first
      {"crossover", along, 3, 0.5, kRefuted},  // the other way round
  };
  for (const auto& [kind, limits, first, last, verdict] : cases) {
    EXPECT_EQ(judge(claim_of(batches(), relation(kind, limits)), from_to(first, last)).verdict, verdict)
        << kind << " " << limits << " from " << first << " to " << last;
  }
}

TEST(Ratio, IsRefutedAndNamesTheStrongestPoint) {
  const ClaimJudgement judgement = judge(ratio_claim({{"at_least", 3}}), [](const Point& point) {
    const double batch = number_of(point, "batch");
    return MadeCell{.step_ns = point.implementation == "one/x" ? (batch < 100 ? 4000 : 1500) : 1000.0};
  });
  EXPECT_EQ(judgement.verdict, ClaimVerdict::refuted);
  const report::JudgedRelation& judged = judgement.relations[0];
  EXPECT_EQ(judged.points[0].state, PointState::holds);
  EXPECT_EQ(judged.points[2].state, PointState::fails);
  EXPECT_EQ(judged.deciding, 2U);
  ASSERT_EQ(judged.flips.size(), 1U);
  EXPECT_EQ(judged.flips[0].axis, "batch.rows");
  EXPECT_EQ(judged.flips[0].from + " " + judged.flips[0].to, "32 256");
  EXPECT_TRUE(judged.flips[0].holds_at_from);
}

TEST(Ratio, OnlyTheNamedPointsDecide) {
  const ClaimJudgement judgement =
      judge(ratio_claim({{"at_least", 3}, {"at", {{"batch", {1, 32}}}}}), [](const Point& point) {
        const bool slow = point.implementation == "one/x" && number_of(point, "batch") < 100;
        return MadeCell{.step_ns = slow ? 4000.0 : 1000.0};
      });
  EXPECT_EQ(judgement.verdict, ClaimVerdict::confirmed);
  EXPECT_FALSE(judgement.relations[0].points[2].decides);
  EXPECT_EQ(judgement.relations[0].flips.size(), 1U) << "what is shown beside is looked at for flips";
}

// The launches' ratios lie from 2.7 to 3.6: the limit of 3 is among them.
MadeCell noisy(const Point& point, int launches) {
  const bool a = point.implementation == "one/x";
  return {.step_ns = a ? 2700.0 : 1000.0, .spread = a ? 0.333 : 0, .launches = launches};
}

TEST(Ratio, AnIntervalAcrossTheLimitSaysWhatItWouldTake) {
  const ClaimJudgement judgement =
      judge(ratio_claim({{"at_least", 3}}), [](const Point& point) { return noisy(point, 6); });
  EXPECT_EQ(judgement.verdict, ClaimVerdict::inconclusive);
  EXPECT_GT(judgement.needed_launches, 6);
  EXPECT_DOUBLE_EQ(judgement.needed_seconds, 3 * 2 * (judgement.needed_launches + 1))
      << "three scenarios, 2 s a launch, and once to verify them";
  EXPECT_EQ(judgement.relations[0].points[0].remark, "the interval reaches across the limit");
}

TEST(Ratio, FewLaunchesDecideNothingHoweverClearTheyAre) {
  for (const int launches : {1, 2}) {
    const ClaimJudgement judgement = judge(ratio_claim({{"at_least", 3}}), [&](const Point& point) {
      return MadeCell{.step_ns = point.implementation == "one/x" ? 40000.0 : 1000.0, .launches = launches};
    });
    EXPECT_EQ(judgement.verdict, ClaimVerdict::inconclusive) << launches;
    EXPECT_EQ(judgement.needed_launches, 3) << launches;
    EXPECT_FALSE(judgement.relations[0].points[0].remark.empty());
  }
}

TEST(Unfit, TimesDecideNothingAndWhatIsCountedDoes) {
  const auto half_as_long_again = [](const Point& point) {
    const bool is_a = point.implementation == "one/x";
    return MadeCell{.step_ns = is_a ? 4000.0 : 1000.0, .target_steps = is_a ? 400 : 100, .control = is_a ? 1.5 : 0};
  };
  const ClaimJudgement times = judge(ratio_claim({{"at_least", 3}}), half_as_long_again);
  EXPECT_EQ(times.verdict, ClaimVerdict::inconclusive);
  EXPECT_EQ(times.relations[0].points[0].remark,
            "the control took 1.5 [1.5, 1.5] times as long as itself: this machine was unfit");
  EXPECT_EQ(times.needed_launches, 6) << "as many again";
  const json counted = relation("ratio", {{"quantity", "steps_to_target"}, {"at_least", 3}});
  EXPECT_EQ(judge(claim_of(batches(), counted), half_as_long_again).verdict, ClaimVerdict::confirmed);
}

TEST(NotRun, SaysWhyAndOutweighsWhatIsUndecided) {
  const auto with = [](MadeCell cell) {
    return judge(ratio_claim({{"at_least", 3}}), [cell](const Point& point) {
      if (point.implementation == "one/x" && number_of(point, "batch") == 32) return cell;
      return noisy(point, 6);
    });
  };
  const auto reason = [](const ClaimJudgement& judgement) {
    const report::JudgedRelation& relation = judgement.deciding_relation();
    return relation.points.at(relation.deciding.value_or(99)).remark;
  };
  const ClaimJudgement wrong = with({.status = {report::CellState::wrong, "w0 is off"}});
  EXPECT_EQ(wrong.verdict, ClaimVerdict::not_run);
  EXPECT_NE(reason(wrong).find("one/x: wrong: w0 is off"), std::string::npos) << reason(wrong);
  EXPECT_FALSE(wrong.relations[0].points[1].ratio) << "never a figure of a cell that is not right";
  const ClaimJudgement pending = with({.status = {report::CellState::pending, "no time"}});
  EXPECT_NE(reason(pending).find("no time"), std::string::npos);
  const ClaimJudgement absent = with({.in_report = false});
  EXPECT_EQ(absent.verdict, ClaimVerdict::not_run);
  EXPECT_EQ(reason(absent), "one/x was not measured with these settings");
  EXPECT_NE(reason(with({.launches = 0})).find("no launch"), std::string::npos);
}

TEST(NotRun, AnImplementationThatIsNotThereIsNamed) {
  const json matrix = {{"axes", {{"scenario", "linreg-3x2"}, {"implementation", {"one/x", "far/away"}}}}};
  json relations = relation("ratio", {{"at_least", 3}});
  relations[0]["b"] = {{"implementation", "far/away"}};
  const ClaimJudgement judgement = judge(claim_of(matrix, relations), [](const Point& point) {
    return MadeCell{.in_report = point.implementation != "far/away"};
  });
  EXPECT_EQ(judgement.verdict, ClaimVerdict::not_run);
  EXPECT_EQ(judgement.relations[0].points[0].remark, "no implementation far/away was run");
}

TEST(NotRun, ARefutationStandsWithoutTheOtherPoints) {
  const ClaimJudgement judgement = judge(ratio_claim({{"at_least", 3}}), [](const Point& point) {
    return MadeCell{.in_report = number_of(point, "batch") != 32};
  });
  EXPECT_EQ(judgement.verdict, ClaimVerdict::refuted) << "it had to hold everywhere";
}

TEST(Trend, IsTheRatiosChangeFromTheFirstToTheLast) {
  const Claim claim = claim_of(batches(), relation("trend", {{"at_most", 0.8}, {"along", "batch"}}));
  const report::JudgedRelation judged = judge(claim, from_to(6, 3)).relations[0];
  ASSERT_EQ(judged.points.size(), 4U) << "three ratios and their change";
  EXPECT_EQ(judged.points[0].state, PointState::shown);
  EXPECT_EQ(judged.deciding, 3U);
  EXPECT_NEAR(judged.points[3].ratio->value, 0.5, 1e-9);
  EXPECT_EQ(judged.points[3].at.back().second, "1 to 256");
  const ClaimJudgement missing =
      judge(claim, [](const Point& point) { return MadeCell{.in_report = number_of(point, "batch") != 256}; });
  EXPECT_EQ(missing.verdict, ClaimVerdict::not_run);
}

TEST(Crossover, NamesWhereTheWinnerChanges) {
  const Claim claim = claim_of(batches(), relation("crossover", {{"along", "batch"}}));
  const report::JudgedRelation crossing = judge(claim, from_to(0.5, 3)).relations[0];
  EXPECT_EQ(crossing.points[1].state, PointState::shown);
  ASSERT_EQ(crossing.flips.size(), 1U);
  EXPECT_EQ(crossing.flips[0].to, "32");
}

TEST(Claim, NeedsEachOfItsRelations) {
  json relations = relation("ratio", {{"at_least", 3}});
  relations.push_back(relation("ratio", {{"at_least", 5}})[0]);
  EXPECT_EQ(judge(claim_of(batches(), relations), slower("one/x", 6)).verdict, ClaimVerdict::confirmed);
  const ClaimJudgement refuted = judge(claim_of(batches(), relations), slower("one/x", 4));
  EXPECT_EQ(refuted.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(refuted.deciding, 1U);
  relations[1]["decides"] = false;
  const ClaimJudgement beside = judge(claim_of(batches(), relations), slower("one/x", 4));
  EXPECT_EQ(beside.verdict, ClaimVerdict::confirmed) << "the other one is only shown";
  EXPECT_EQ(beside.relations[1].verdict, ClaimVerdict::refuted);
  std::swap(relations[0], relations[1]);
  EXPECT_EQ(judge(claim_of(batches(), relations), slower("one/x", 4)).deciding, 1U) << "of all relations";
}

using Cells = std::set<std::size_t>;  // of one/x and two/x at each batch

TEST(Needs, APointThatIsNotNamedIsBeside) {
  const NeededCells cells = needed(ratio_claim({{"at_least", 3}, {"at", {{"batch", {1, 256}}}}}), slower("one/x", 2));
  EXPECT_EQ(cells.deciding, (Cells{0, 1, 4, 5}));
  EXPECT_EQ(cells.shown, (Cells{2, 3}));
  EXPECT_FALSE(cells.lacks_some);
}

TEST(Needs, OfATrendTheEndsDecideAndOfWhatIsShownNothing) {
  json relations = relation("trend", {{"at_least", 3}, {"along", "batch"}});
  relations.push_back(relation("ratio", {{"at_least", 3}, {"decides", false}})[0]);
  const NeededCells cells = needed(claim_of(batches(), relations), slower("one/x", 2));
  EXPECT_EQ(cells.deciding, (Cells{0, 1, 4, 5}));
  EXPECT_EQ(cells.shown, (Cells{0, 1, 2, 3, 4, 5}));
}

TEST(Needs, ACellThatCannotBeMeasuredIsLacking) {
  const auto make = [](const Point& point) {
    const bool is_a = point.implementation == "one/x";
    return MadeCell{.status = {is_a ? report::CellState::ok : report::CellState::unsupported, ""}};
  };
  const NeededCells cells = needed(ratio_claim({{"at_least", 3}}), make);
  EXPECT_EQ(cells.deciding, (Cells{0, 2, 4}));
  EXPECT_TRUE(cells.lacks_some);
}

}  // namespace
}  // namespace gdbench::claims
