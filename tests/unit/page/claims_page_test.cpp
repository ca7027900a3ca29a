#include "reports/page/claims_page.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/reports/example_judgements.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

TEST(Golden, ClaimsPage) { expect_golden_page("claims", claims_page(tests::example_judgements())); }

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
