#include "reports/page/comparison_page.h"

#include <gtest/gtest.h>

#include <string>

#include "reports/page/report_page.h"
#include "tests/support/reports/example_comparison.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

TEST(Golden, ComparisonPage) { expect_golden_page("comparison", comparison_page(tests::example_comparison())); }

TEST(ComparisonPage, FoldsWhatIsEquivalentWhereThereIsMuch) {
  EXPECT_EQ(comparison_page(tests::long_comparison(39)).find("folded"), std::string::npos);
  const std::string page = content_of(comparison_page(tests::long_comparison(101)));
  EXPECT_NE(page.find("101 equivalent cells are folded"), std::string::npos);
  EXPECT_NE(page.find("<summary>linear: 51 equivalent cells</summary>"), std::string::npos);
  EXPECT_NE(page.find("<summary>network: 50 equivalent cells</summary>"), std::string::npos);
  EXPECT_EQ(page.find(">x1</text>"), std::string::npos);
  EXPECT_NE(page.find(">network/x1</th>"), std::string::npos);
  EXPECT_NE(page.find(">+0.0% to +1.0%</text>"), std::string::npos);
}

TEST(ComparisonPage, SaysWhyNothingIsComparable) {
  report::ReportComparison comparison;
  comparison.not_comparable = "not the same machine: <b>";
  const std::string page = content_of(comparison_page(comparison));
  EXPECT_NE(page.find("Not comparable: not the same machine: &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<svg"), std::string::npos);
}

TEST(ComparisonPage, IsTheFirstSectionBehindTheAnswerOfAReport) {
  const std::string page = content_of(report_page(tests::example_report(), tests::example_comparison()));
  EXPECT_LT(page.find("<section id=\"answer\">"), page.find("<section id=\"comparison\">"));
  EXPECT_LT(page.find("<section id=\"comparison\">"), page.find("<section id=\"s1\">"));
  EXPECT_NE(page.find("8 cells: 1 regressed"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::page
