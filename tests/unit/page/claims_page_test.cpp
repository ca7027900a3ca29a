#include "reports/page/claims_page.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/reports/example_judgements.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

TEST(Golden, ClaimsPage) { expect_golden_page("claims", claims_page(tests::example_judgements())); }

TEST(ClaimsPage, DrawsWhatASentenceDemands) {
  std::vector<report::ClaimJudgement> judgements = {tests::example_judgements()[1]};  // a saving of at least 25%
  const std::size_t with = count_of(claims_page(judgements), "class=\"o\"");
  judgements[0].relations[0].relation.at_least.reset();
  const std::size_t without = count_of(claims_page(judgements), "class=\"o\"");
  EXPECT_EQ(with - without, 3U);  // of the claim, and of its two points
}

TEST(ClaimsPage, HasNoPictureOfWhatWasNotRun) {
  const std::string page = content_of(claims_page({tests::example_judgements()[3]}));
  EXPECT_EQ(count_of(page, "<svg"), 1U);  // the verdict's own
  EXPECT_NE(page.find("Not run: no implementation two/x (2 points)."), std::string::npos);
}

TEST(ClaimsPage, WhatClaimsSayIsText) {
  report::ClaimJudgement judgement = tests::example_judgements()[0];
  const std::string attack = "</title></svg><script>alert(1)</script>\"' onload='\u202e";
  judgement.id = judgement.sentence = judgement.source = attack;
  judgement.relations[0].relation.a = {{attack, attack}};
  judgement.relations[0].points[0].at = {{attack, attack}};
  const std::string page = content_of(claims_page({judgement}));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("\u202e"), std::string::npos);
  EXPECT_EQ(count_of(page, "</svg>"), count_of(page, "<svg "));
}

}  // namespace
}  // namespace gdbench::page
