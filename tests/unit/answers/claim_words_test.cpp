#include "reports/answers/claim_words.h"

#include <gtest/gtest.h>

namespace gdbench::answers {
namespace {

using report::ClaimVerdict;
using report::JudgedRelation;

report::Settings implementation(const char* id) { return {{"implementation", id}}; }

stats::Estimate estimate(double value, int launches) {
  return {.value = value, .interval = {0.9 * value, 1.1 * value}, .launches = launches};
}

JudgedRelation relation(const char* a, const char* b, bool decides, std::vector<double> ratios, int launches = 3) {
  JudgedRelation judged;
  judged.relation.a = implementation(a);
  judged.relation.b = implementation(b);
  judged.relation.decides = decides;
  judged.relation.at_least = 3;
  for (const double ratio : ratios) {
    report::JudgedPoint& point = judged.points.emplace_back();
    point.at = {{"batch", std::to_string(32 + judged.points.size())}};
    point.ratio = estimate(ratio, launches);
  }
  judged.deciding = 0;
  return judged;
}

std::string words(std::vector<JudgedRelation> relations, ClaimVerdict verdict = ClaimVerdict::confirmed) {
  report::ClaimJudgement judgement;
  judgement.verdict = verdict;
  judgement.relations = std::move(relations);
  judgement.needed_launches = 7;
  judgement.needed_seconds = 80;
  return verdict_words(judgement);
}

TEST(ClaimWords, WhatIsFasterBesideIsNamedWhereItIsSlowest) {
  const JudgedRelation decided = relation("tape/x", "fit/x", true, {4});
  const std::string alone = "4.00x [3.60, 4.40] at batch=33 (claimed: at least 3x)";
  EXPECT_EQ(words({decided, relation("graph/x", "fit/x", false, {0.4, 0.5})}),
            alone + "; faster: graph/x, which takes 0.50x [0.45, 0.55] of fit/x at batch=34");
  EXPECT_EQ(words({decided, relation("graph/x", "tape/x", false, {0.5}), relation("hand/x", "fit/x", false, {0.1})}),
            alone + "; faster: hand/x, which takes 0.10x [0.09, 0.11] of fit/x at batch=33")
      << "the faster side first";
  EXPECT_EQ(words({decided, relation("graph/x", "fit/x", false, {0.5, 1.2})}), alone) << "not everywhere";
  EXPECT_EQ(words({decided, relation("graph/x", "fit/x", false, {0.5}, 2)}), alone) << "two launches";
  EXPECT_EQ(words({decided, relation("graph/x", "other/x", false, {0.5})}), alone) << "with something else";
}

TEST(ClaimWords, AnUndecidedClaimSaysHowItWouldBeDecided) {
  const std::string text = words({relation("tape/x", "fit/x", true, {3}), relation("graph/x", "fit/x", false, {0.5})},
                                 ClaimVerdict::inconclusive);
  EXPECT_TRUE(text.ends_with("; needs about 7 launches, 80 s (--launches 7)")) << text;
}

TEST(ClaimWords, WhatWasNotDecidedStillShowsWhatWasMeasured) {
  JudgedRelation judged = relation("tape/x", "fit/x", true, {2, 4, 3});
  report::JudgedPoint missing;
  missing.remark = "it was not reached";
  judged.points.push_back(missing);
  judged.deciding = 3;
  EXPECT_EQ(words({judged}, ClaimVerdict::not_run), "it was not reached; 2.00x to 4.00x at 3 measured points");
  judged.relation.kind = report::RelationKind::trend;
  judged.points[1].decides = judged.points[2].decides = false;
  EXPECT_EQ(measured_ratios(judged), (std::vector{4.0, 3.0})) << "a change of a ratio is none";
}

}  // namespace
}  // namespace gdbench::answers
