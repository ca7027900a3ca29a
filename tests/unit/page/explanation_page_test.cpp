#include "reports/page/explanation_page.h"

#include <gtest/gtest.h>

#include "harness/questions/explain/explain.h"
#include "tests/support/reports/explained_report.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

TEST(Golden, ExplanationPage) {
  expect_golden_page("explanation", explanation_page({tests::explain_first_two(tests::explained_report())}));
}

TEST(ExplanationPage, HasBarsForWhatIsKnownAlone) {
  report::Explanation explanation = tests::explain_first_two(tests::explained_report());
  EXPECT_EQ(count_of(explanation_page({explanation}), "<figure "), 3U) << "steps, phases, start";
  explanation.profiles.reset();
  explanation.start.reset();
  EXPECT_EQ(count_of(explanation_page({explanation}), "<figure "), 1U);
  explanation.calls = {.a_calls = 3, .b_calls = 1, .share = 0.37, .interval = {0.3, 0.5}};
  explanation.a_ceiling.emplace().share = 0.5;
  explanation.b_ceiling = explanation.a_ceiling;
  const std::string page = explanation_page({explanation});
  EXPECT_EQ(count_of(page, "<figure "), 3U);
  EXPECT_EQ(count_of(page, ">63%</text>"), 1U) << "what calls do beyond empty ones";
}

// slow/loops beside fast/matrix: the strategy, the backend, what they miss, and the whole.
TEST(ExplanationPage, HasABarForEachAxis) {
  const report::Report report = tests::explained_report();
  const report::Explanation explanation = explain::explain(report, report.cells[0], report.cells[2]);
  ASSERT_FALSE(explanation.paths.empty());
  const std::string page = explanation_page({explanation});
  const std::size_t begin = page.find("<figure id=\"e1-axes1\">");
  ASSERT_NE(begin, std::string::npos);
  const std::string figure = page.substr(begin, page.find("</svg>", begin) - begin);
  EXPECT_EQ(count_of(figure, "<path class=\"k"), explanation.paths.front().parts.size() + 2);
  EXPECT_NE(figure.find(">the whole</text>"), std::string::npos);
}

TEST(ExplanationPage, SaysWhatWasNotMeasured) {
  report::Explanation explanation = tests::explain_first_two(tests::explained_report());
  explanation.missing = {{report::Lack::launches, "", "gdbench run <x>"}};
  const std::string page = explanation_page({explanation, explanation});
  EXPECT_EQ(count_of(page, "<code>gdbench run &lt;x&gt;</code>"), 2U);
  EXPECT_EQ(count_of(page, "id=\"e2-steps\""), 1U);
}

}  // namespace
}  // namespace gdbench::page
