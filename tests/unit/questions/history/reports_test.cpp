#include "harness/questions/history/reports.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/analysis/summarise.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::history {
namespace {

// A report of one cell "s/a" with three launches, its control, and a copy in another arm.
report::Report small_report(const std::string& build) {
  report::Report report;
  report.run.id = "run 1";
  report.run.started_at = "2026-01-02T03:04:05Z";
  report.run.status = "complete";
  report.environment = R"({"cpu": {"model": "Processor", "logical_processors": 2}, "build": )" + build + "}";
  report.scenarios.emplace_back().key = "key";
  for (const std::string arm : {"new", "base", "control"}) {
    report::Cell& cell = report.cells.emplace_back();
    cell.id = arm == "new" ? "s/a" : "s/a#" + arm;
    cell.scenario = "key";
    cell.implementation = "a";
    cell.arm = arm;
    cell.status = {report::CellState::ok, ""};
    for (int launch = 0; launch < 3; ++launch) {
      cell.samples.push_back({.launch = launch, .round = 1, .steps = 1, .real_ns = arm == "new" ? 10. : 12.});
    }
  }
  report::Cell crashed = report.cells.front();
  crashed.id = "s/b";
  crashed.implementation = "b";
  crashed.status = {report::CellState::crashed, "signal 11"};
  report.cells.push_back(crashed);
  analysis::summarise(report);
  return report;
}

TEST(HistoryReports, AreReducedToWhatAHistoryNeeds) {
  const MeasuredReport measured = measured_report("a.json", small_report(R"({"git_revision": "0123", "git_dirty": true,
                                                         "git_committed_at": "2026-01-01T00:00:00Z"})"));
  EXPECT_EQ(measured.source.file, "a.json");
  EXPECT_EQ(measured.source.run, "run 1");
  EXPECT_EQ(measured.source.revision, "0123 with changes");
  EXPECT_EQ(measured.source.committed_at, "2026-01-01T00:00:00Z");
  EXPECT_EQ(measured.source.started_at, "2026-01-02T03:04:05Z");
  EXPECT_EQ(measured.machine, "Processor, 2 logical processors");
  ASSERT_EQ(measured.cells.size(), 2U) << "those of the arm new";
  EXPECT_EQ(measured.cells[0].id, "s/a");
  EXPECT_EQ(measured.cells[0].step_ns->value, 10);
  EXPECT_EQ(measured.cells[0].step_ns->launches, 3);
  EXPECT_NEAR(measured.cells[0].noise_floor, 0.2, 1e-9);
  EXPECT_NE(measured.cells[0].unfit, "");
  EXPECT_FALSE(measured.cells[1].step_ns.has_value());
  EXPECT_EQ(report::words_of(measured.cells[1].status), "crashed: signal 11");
}

TEST(HistoryReports, WithoutARevisionEachRunIsOne) {
  for (const char* build : {"{}", "[1]", R"({"git_revision": null})"}) {
    EXPECT_EQ(measured_report("a", small_report(build)).source.revision, "run 1") << build;
  }
}

}  // namespace
}  // namespace gdbench::history
