#include "reports/render/comparison.h"

#include <gtest/gtest.h>

#include "tests/support/reports/example_comparison.h"
#include "tests/unit/render/screen_text.h"

namespace gdbench::render {
namespace {

TEST(ComparisonTable, HasWhatMattersFirstAndSaysHowItWasFound) {
  report::ReportComparison comparison = tests::example_comparison();
  const std::vector<std::string> lines = tests::lines_of(comparison_table(comparison));
  ASSERT_EQ(lines.size(), 13U);
  EXPECT_TRUE(lines[1].starts_with("  network/<script>alert(1)</script>\u202e ")) << lines[1];
  EXPECT_NE(lines[1].find(" regressed "), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(" +10% [+7, +13] "), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[8].starts_with("  linear/hand/x ")) << lines[8];
  EXPECT_EQ(lines[10],
            "8 cells: 1 regressed, 1 failing, 1 removed, 1 improved, 1 fixed, 1 inconclusive, 1 added, 1 equivalent");
  EXPECT_EQ(lines[11],
            "this build against base/build, measured side by side in one run. time: change of the step's time with its "
            "interval; regressed and improved: all of it beyond the margin of 1.0% (or the run's own noise, here up to "
            "1.4%), at 99% for all cells together (Holm).");
  EXPECT_EQ(lines[12], "Note: padded builds differ by up to 2%.");
  comparison.noise_floor = 0.01;
  EXPECT_TRUE(tests::says(comparison_table(comparison), "beyond the margin of 1.0%, at 99%"));
  comparison.not_comparable = "other machines";
  EXPECT_EQ(comparison_table(comparison), "Not comparable: other machines\n");
}

TEST(ComparisonMarkdown, FoldsWhatDidNotChange) {
  const std::string text = comparison_markdown(tests::long_comparison(2));
  EXPECT_TRUE(text.starts_with("## gdbench: 3 cells: 1 regressed, 2 equivalent\n\n**1 regressed**\n\n| cell |"))
      << text;
  EXPECT_NE(text.find("\n\n<details><summary>2 equivalent</summary>\n\n| cell |"), std::string::npos) << text;
  EXPECT_NE(text.find("</details>\n\nafter.json against before.json, from two runs."), std::string::npos) << text;
}

}  // namespace
}  // namespace gdbench::render
