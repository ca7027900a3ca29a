#include "reports/page/report_page.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reports/render/words.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
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

TEST(ReportPage, FoldsManyScenariosAndGivesThemTheRowsOfTheGrid) {
  const std::string few = report_page(report_of_many(12));
  EXPECT_NE(few.find("<tr data-strategy="), std::string::npos);
  EXPECT_EQ(few.find("</h2>\n<details><summary>example"), std::string::npos);
  const std::string many = report_page(report_of_many(25));
  EXPECT_EQ(many.find("<tr data-strategy="), std::string::npos);
  EXPECT_NE(many.find("<th scope=\"col\" data-strategy="), std::string::npos);
  EXPECT_NE(many.find("</h2>\n<details><summary>example"), std::string::npos);
  EXPECT_EQ(many.find(" sections</summary>"), std::string::npos);
  EXPECT_NE(report_page(report_of_many(41)).find(" sections</summary>"), std::string::npos);
}

TEST(ReportPage, SaysWhichLearningRatesWereReduced) {
  report::Report report = tests::example_report();
  EXPECT_EQ(report_page(report).find("smaller learning rate than its"), std::string::npos);
  for (report::Cell& cell : report.cells) {
    if (cell.block) cell.block->reduced_learning_rate = true;
  }
  EXPECT_NE(report_page(report).find("smaller learning rate than its"), std::string::npos);
}

TEST(ReportPage, SaysWhatEachColumnMeans) {
  const std::string page = content_of(report_page(tests::example_report()));
  const std::string list = page.substr(page.find("<summary>What columns and words mean</summary>"));
  const std::string help = render::columns_help(0);
  EXPECT_EQ(count_of(list, "<li>"), count_of(help, "\n"));
  EXPECT_NE(list.find("<li>lead: time of the runner-up"), std::string::npos);
}

// One figure of memory and of the time to a result is enough.
TEST(Golden, ReportPage) {
  report::Report report = tests::example_report();
  for (report::Cell& cell : report.cells) {
    if (cell.scenario != report.scenarios[1].key || !cell.summary) continue;
    cell.summary->peak_resident_bytes = 0;
    cell.summary->ready_ns.reset();
  }
  expect_golden_page("report", report_page(report));
}

}  // namespace
}  // namespace gdbench::page
