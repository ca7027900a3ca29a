#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_comparison.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

// So many scenarios like the example's first, with its cells.
report::Report report_of_many(int scenarios) {
  report::Report report = tests::example_report();
  const report::ScenarioRecord scenario = report.scenarios[0];
  const std::vector<report::Cell> cells = report.cells;
  report.scenarios.clear();
  report.cells.clear();
  for (int i = 0; i < scenarios; ++i) {
    report.scenarios.push_back(scenario);
    report.scenarios.back().key += std::to_string(i);
    report.scenarios.back().label += std::to_string(i);
    for (report::Cell cell : cells) {
      if (cell.scenario != scenario.key) continue;
      cell.scenario = report.scenarios.back().key;
      cell.id = report.scenarios.back().label + cell.id.substr(scenario.label.size());
      report.cells.push_back(std::move(cell));
    }
  }
  return report;
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

TEST(Report, HasWhatChangedBehindTheAnswer) {
  const document::Document document = document_of(tests::example_report(), tests::example_comparison());
  ASSERT_GT(document.sections.size(), 3U);
  EXPECT_EQ(document.sections[1].title, "Which wins where");
  EXPECT_EQ(document.sections[2].title, "What changed");
  EXPECT_NE(document::text_of(document, {}).find("8 cells: 1 regressed"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::answers
