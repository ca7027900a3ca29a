#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/scaling.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_comparison.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

report::Report report_of_many(int scenarios) {
  tests::MadeReport made("a/x");
  for (int i = 0; i < scenarios; ++i) made.scenario(cat("s", i), {{"a/x", 100}, {"b/y", 50}});
  return made.summarised();
}

TEST(Report, FoldsManyScenariosAndGivesThemTheRowsOfTheGrid) {
  const std::string few = document::html_of(document_of(report_of_many(12)));
  EXPECT_NE(few.find("<tr data-f0="), std::string::npos);
  EXPECT_EQ(few.find("<summary>Its figures</summary>"), std::string::npos);
  const std::string many = document::html_of(document_of(report_of_many(25)));
  EXPECT_EQ(many.find("<tr data-f0="), std::string::npos);
  EXPECT_NE(many.find("<th scope=\"col\">scenario</th>"), std::string::npos);
  EXPECT_NE(many.find("<summary>Its figures</summary>"), std::string::npos);
  EXPECT_EQ(many.find(" sections</summary>"), std::string::npos);
  EXPECT_NE(document::html_of(document_of(report_of_many(41))).find(" sections</summary>"), std::string::npos);
}

TEST(Report, SaysHowManyRowsAFigureLeavesOut) {
  const std::string text = tests::outline_of(document_of(tests::one_scenario_report()));
  EXPECT_NE(text.find(" 4 slower implementations are in the grid alone."), std::string::npos) << text;
}

TEST(Report, HasNoThreadsOfARunWithOne) {
  const report::Report single = tests::MadeReport("a/x").scenario("s", {{"a/x", 1000}}).summarised();
  EXPECT_EQ(tests::outline_of(document_of(single)).find(kScalingTitle), std::string::npos);
}

TEST(Report, HasWhatChangedBehindTheAnswer) {
  const document::Document document = document_of(tests::example_report(), tests::example_comparison());
  ASSERT_GT(document.sections.size(), 3U);
  EXPECT_EQ(document.sections[1].title, "Which wins where");
  EXPECT_EQ(document.sections[2].title, "What changed");
  EXPECT_NE(document::text_of(document, {}).find("8 cells: 1 regressed"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::answers
