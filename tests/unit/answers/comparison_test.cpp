#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_comparison.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

TEST(Golden, Comparison) { tests::expect_golden_answer("comparison", document_of(tests::example_comparison())); }

TEST(Comparison, SaysWhichMarginCounts) {
  report::ReportComparison comparison = tests::example_comparison();
  comparison.noise_floor = 0.01;
  EXPECT_TRUE(tests::says(tests::outline_of(document_of(comparison)), "beyond the margin of 1.0%, at 99%"));
}

TEST(Comparison, NamesEachQuantityThatIsJudged) {
  report::ReportComparison comparison = tests::example_comparison();
  comparison.gates = {{report::Quantity::peak_memory, 0.05}, {report::Quantity::first_step, 0.1}};
  report::ComparedCell& cell = comparison.cells.emplace_back(comparison.cells[3]);
  cell.id = "network/hand/y";
  cell.quantity = report::Quantity::peak_memory;
  cell.base->value = 4096;
  std::string outline = tests::outline_of(document_of(comparison));
  for (const char* words :
       {"9 figures: 2 regressed", "at 99% for all figures together", "Figures of the new build over those of the base",
        "peak memory", "4 KiB", "Other margins: peak memory 5.0%, time of the first step 10%"}) {
    EXPECT_TRUE(tests::says(outline, words)) << words << outline;
  }
  // Of tables that hold nothing else, too.
  comparison.cells = {comparison.cells.back()};
  outline = tests::outline_of(document_of(comparison));
  EXPECT_TRUE(tests::says(outline, "network/hand/y peak memory regressed")) << outline;
}

TEST(Comparison, SaysWhyNothingIsComparable) {
  report::ReportComparison comparison = tests::example_comparison();
  comparison.not_comparable = "not the same machine";
  comparison.next_build.clear();
  const document::Document document = document_of(comparison);
  EXPECT_TRUE(tests::says(tests::outline_of(document),
                          "Not comparable: not the same machine New: this build. Base: base/build, gdbench 0.1.0"));
  EXPECT_EQ(document::html_of(document).find("<svg"), std::string::npos);
}

// In Markdown, which stands in comments, what did not change is folded; text has it in full.
TEST(Comparison, FoldsWhatDidNotChange) {
  const document::Document document = document_of(tests::long_comparison(2));
  const std::string markdown = document::markdown_of(document);
  EXPECT_NE(markdown.find("**3 cells: 1 regressed, 2 equivalent**\n"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("<details><summary>2 equivalent</summary>\n\n| cell |"), std::string::npos) << markdown;
  EXPECT_NE(document::text_of(document, {}).find("linear/x0"), std::string::npos);
}

TEST(Comparison, DrawsTheEquivalentCellsOfAScenarioAsOneRowWhereThereAreMany) {
  const auto rows_of = [](int cells) {
    const document::Document document = document_of(tests::long_comparison(cells));
    for (const document::Block& block : document.sections.back().blocks) {
      if (const auto* figure = std::get_if<document::Figure>(&block.content)) {
        return std::get<document::Rows>(figure->chart).rows;
      }
    }
    return std::vector<document::BarRow>();
  };
  EXPECT_EQ(rows_of(39).size(), 40U);
  const std::vector<document::BarRow> rows = rows_of(101);
  ASSERT_EQ(rows.size(), 3U);  // and one of each scenario
  for (const auto& [row, group, label, first] : {std::tuple(rows[1], "linear", "51 equivalent cells", 1.0),
                                                 {rows[2], "network", "50 equivalent cells", 1.0001}}) {
    EXPECT_EQ(std::pair(row.group, row.label), std::pair(std::string(group), std::string(label)));
    EXPECT_DOUBLE_EQ(row.dots.front(), first);
    EXPECT_NEAR(row.dots.back(), 1.01, 2e-4);
    EXPECT_EQ(row.figure, "+0.0% to +1.0%");
  }
}

}  // namespace
}  // namespace gdbench::answers
