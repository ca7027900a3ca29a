#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_judgements.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

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

TEST(Answer, IsYesNoOrUndecidedFirst) {
  AnsweredClaim answered = example_answer();
  const auto first = [&] { return document_of(answered).answer.front().text; };
  answered.judgement.verdict = report::ClaimVerdict::refuted;
  EXPECT_TRUE(first().starts_with("Not true here: time of a step of one/x over that of two/x is ")) << first();
  answered.judgement.verdict = report::ClaimVerdict::inconclusive;
  EXPECT_TRUE(first().starts_with("Not decided here: ")) << first();
  answered.judgement.verdict = report::ClaimVerdict::not_run;
  EXPECT_TRUE(first().starts_with("Not measured here: ")) << first();
  answered.judgement.question.clear();
  EXPECT_EQ(document_of(answered).title, answered.judgement.sentence + " True?");
}

TEST(Answer, AdviceWithoutAFigureSaysSo) {
  AnsweredClaim answered = example_answer();
  answered.judgement.relations.back().points.clear();
  EXPECT_EQ(document_of(answered).answer.back().text, "Compile the step: what it brings was not measured.");
}

TEST(Golden, QuestionList) {
  tests::expect_golden_answer("question-list", questions({{"first", "Why is A slow?"}, {"second", "Why | B?"}}));
}

// A terminal has no more than a line for what nothing is known of.
TEST(Claims, TextLeavesOutWhatWasNotRun) {
  const document::Document document = document_of(tests::example_judgements(), {});
  const std::string text = document::text_of(document, {});
  EXPECT_TRUE(tests::says(text, "more-memory not run no implementation two/x")) << text;
  EXPECT_EQ(text.find("A uses more memory"), std::string::npos) << text;
  EXPECT_NE(document::html_of(document).find("A uses more memory | than B."), std::string::npos);
}

TEST(Claims, AnEquivalentRatioIsCalledEqual) {
  const std::string outline = tests::outline_of(document_of(tests::example_judgements(), {}));
  EXPECT_TRUE(tests::says(outline, "1.00x [0.99, 1.00] 4 the two are equal")) << outline;
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

}  // namespace
}  // namespace gdbench::answers
