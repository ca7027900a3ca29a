// Whole outputs for a fixed report.
#include "tests/support/reports/golden.h"

#include <gtest/gtest.h>

#include "harness/questions/explain/explain.h"
#include "harness/questions/fairness/description.h"
#include "reports/render/claims.h"
#include "reports/render/console.h"
#include "reports/render/explanation.h"
#include "reports/render/fairness.h"
#include "reports/render/first_screen.h"
#include "reports/render/markdown.h"
#include "reports/render/table.h"
#include "tests/support/reports/example_judgements.h"
#include "tests/support/reports/example_report.h"
#include "tests/support/reports/explained_report.h"
#include "tests/unit/render/made_report.h"

namespace gdbench::render {
namespace {

using tests::example_report;

void expect_golden(const std::string& name, const std::string& text) { tests::expect_golden("render/" + name, text); }

TEST(Golden, Console) { expect_golden("console.txt", console(example_report(), {})); }
TEST(Golden, NarrowConsole) { expect_golden("console-60.txt", console(example_report(), {false, 60})); }
TEST(Golden, ColouredConsole) { expect_golden("console-colour.txt", console(example_report(), {true, 120})); }
TEST(Golden, FirstScreen) {
  const report::Report report = tests::strategies_report();
  expect_golden("first-screen-60.txt", first_screen(report, {false, 60, "report.json"}));
  expect_golden("first-screen-80.txt", first_screen(report, {false, 80, "report.json"}));
  expect_golden("first-screen-120.txt", first_screen(report, {false, 120, "report.json"}));
  expect_golden("first-screen-colour.txt", first_screen(report, {true, 100, "report.json"}));
}
TEST(Golden, FirstScreenOfFrameworks) {
  expect_golden("first-screen-frameworks-80.txt", first_screen(tests::frameworks_report(), {false, 80, "report.json"}));
  expect_golden("first-screen-frameworks-160.txt",
                first_screen(tests::frameworks_report(), {false, 160, "report.json"}));
}
TEST(Golden, FirstScreenOfOneScenario) {
  expect_golden("first-screen-one.txt", first_screen(tests::one_scenario_report(), {false, 100, "report.json"}));
}
TEST(Golden, FirstScreenOfManyScenarios) {
  expect_golden("first-screen-many.txt", first_screen(tests::many_scenarios_report(), {false, 100, "report.json"}));
}
TEST(Golden, Markdown) { expect_golden("report.md", markdown(example_report())); }
TEST(Golden, Csv) { expect_golden("report.csv", csv(example_report())); }

TEST(Golden, Claims) { expect_golden("claims.txt", claims_console(tests::example_judgements(), 100)); }
TEST(Golden, ClaimsPage) { expect_golden("claims.md", claims_markdown(tests::example_judgements())); }

TEST(Golden, Explanation) {
  report::Report report = tests::explained_report();
  report.attribution = report::Attribution{};
  report.attribution->break_evens = {
      {report.cells[1].id, report.cells[0].id, {stats::Overtaking::after, 119.5, {99.5, 140.25}, 6}},
      {report.cells[2].id, report.cells[0].id, {stats::Overtaking::undecided, 0, {0, 0}, 6}}};
  expect_golden("explanation.txt",
                explanation_words(explain::explain(report, report.cells[0], report.cells[1]), 100) + "\n" +
                    explanation_words(explain::explain(report, report.cells[2], report.cells[0]), 100));
}

TEST(Golden, CheckedComparison) {
  const std::filesystem::path examples = std::filesystem::path(GDBENCH_SOURCE_DIR) / "examples/check-comparison";
  const auto a = fairness::read_description(examples / "numpy_loop.json");
  const auto b = fairness::read_description(examples / "tensorflow_tape.json");
  ASSERT_TRUE(a.ok() && b.ok());
  expect_golden("checked-comparison.txt", fairness_words(fairness::compare(a.value(), b.value()), 100));
}

TEST(Golden, ReportFile) {
  const tests::TemporaryFolder folder;
  ASSERT_TRUE(report::write_report(example_report(), folder.file("report.json")).ok());
  expect_golden("report.json", tests::text_of(folder.file("report.json")));
}

}  // namespace
}  // namespace gdbench::render
