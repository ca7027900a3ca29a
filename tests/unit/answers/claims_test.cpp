#include <gtest/gtest.h>

#include "reports/answers/claim_words.h"
#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_judgements.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using report::JudgedRelation;
using Judgements = std::vector<report::ClaimJudgement>;

TEST(Golden, Claims) {
  tests::expect_golden_answer("claims", document_of(tests::example_judgements(), {"the budget was <b>short</b>"}));
}

TEST(Golden, ClaimList) {
  const std::vector<ListedClaim> claims = {{"first", "A is slow.", "A page"}, {"second", "B | C.", "Another <page>"}};
  tests::expect_golden_answer("claim-list", document_of(claims));
}

AnsweredClaim example_answer() {
  AnsweredClaim answered{tests::example_judgements()[0], {}, {}, "gdbench answer first"};
  answered.judgement.question = "Why is A slow?";
  answered.judgement.setting = "ten rows of <two> features";
  report::JudgedRelation advice = answered.judgement.relations[0];
  advice.relation.decides = false;
  advice.relation.advice = "Compile the step";
  answered.judgement.relations.push_back(advice);
  fairness::Comparison posted;
  posted.a = "one";
  posted.b = "two";
  fairness::Finding& finding = posted.findings.emplace_back();
  finding.rule = &fairness::rule_named("updates");
  finding.key = "updates";
  finding.a = "10";
  finding.b = "31250";
  answered.posted = posted;
  return answered;
}

TEST(Golden, Answer) { tests::expect_golden_answer("answer", document_of(example_answer())); }

TEST(Answer, AsksByTheSentenceWhereThereIsNoQuestion) {
  AnsweredClaim answered = example_answer();
  answered.judgement.question.clear();
  EXPECT_EQ(document_of(answered).title, answered.judgement.sentence + " True?");
}

TEST(Golden, QuestionList) {
  tests::expect_golden_answer("question-list", questions({{"first", "Why is A slow?"}, {"second", "Why | B?"}}));
}

// A terminal has no more than a line for what nothing is known of.
TEST(Claims, TextLeavesOutWhatWasNotRun) {
  const std::string text = document::text_of(document_of(tests::example_judgements(), {}), {});
  EXPECT_TRUE(tests::says(text, "more-memory not run no implementation two/x")) << text;
  EXPECT_EQ(text.find("A uses more memory"), std::string::npos) << text;
}

// Of a claim of which another point was not run.
TEST(Claims, DrawsTheMeasuredPointsOfAClaimWithoutAVerdict) {
  report::ClaimJudgement judgement = tests::example_judgements()[0];
  judgement.verdict = report::ClaimVerdict::not_run;
  report::JudgedPoint missing;
  missing.remark = "it was not reached";
  judgement.relations[0].points.push_back(missing);
  judgement.relations[0].deciding = 3;
  const document::Document document = document_of(Judgements{judgement}, {});
  const auto& figure = std::get<document::Figure>(document.sections.at(0).blocks.at(0).content);
  const document::BarRow& row = std::get<document::Rows>(figure.chart).rows.at(0);
  EXPECT_EQ(row.dots, (std::vector{3.125, 2.1, 1.1}));
  EXPECT_EQ(row.figure, "1.10x to 3.12x at 3 measured points");
}

TEST(Claims, WhatClaimsSayIsText) {
  report::ClaimJudgement judgement = tests::example_judgements()[0];
  const std::string attack = "</title></svg><script>alert(1)</script>\"' onload='\u202e";
  judgement.id = judgement.sentence = judgement.source = attack;
  judgement.relations[0].relation.a = {{attack, attack}};
  judgement.relations[0].points[0].at = {{attack, attack}};
  const std::string page = document::html_of(document_of(Judgements{judgement}, {}));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("\u202e"), std::string::npos);
}

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

std::string words(std::vector<JudgedRelation> relations) {
  report::ClaimJudgement judgement;
  judgement.verdict = report::ClaimVerdict::confirmed;
  judgement.relations = std::move(relations);
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

TEST(ClaimWords, AChangeOfARatioIsNoMeasuredPoint) {
  JudgedRelation judged = relation("tape/x", "fit/x", true, {2, 4, 3});
  judged.relation.kind = report::RelationKind::trend;
  judged.points[1].decides = judged.points[2].decides = false;
  EXPECT_EQ(measured_ratios(judged), (std::vector{4.0, 3.0}));
}

}  // namespace
}  // namespace gdbench::answers
