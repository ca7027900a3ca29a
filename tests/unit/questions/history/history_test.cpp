#include "harness/questions/history/history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/analysis/summarise.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/questions/history/reports.h"

namespace gdbench::history {
namespace {

using report::History;
using report::HistoryCell;
using stats::Verdict;

struct Level {
  int reports;
  double step_ns;
};

// As read_reports returns them: number i is of revision "r<i>", begins i minutes after the first one, and has the cell
// "s/a", of 10 launches, whose step takes what its level says times a scatter of 0.5% that the seed decides.
ReadReports reports_taking(const std::vector<Level>& levels, std::uint64_t seed = 1) {
  Random random(seed);
  ReadReports read;
  const auto add = [&](double level) {
    const std::size_t number = read.reports.size();
    const std::string name = std::to_string(number);
    const double time = level * std::exp(0.005 * random.normal());
    MeasuredReport& report = read.reports.emplace_back();
    report.source = {name + ".json", "run " + name, "r" + name, "",
                     formatted("2026-01-01T%02zu:%02zu:00Z", number / 60, number % 60)};
    report.environment = R"({"cpu": {"model": "Processor"}, "build": {"compiler": "GNU 12"}})";
    report.machine = "Processor";
    MeasuredCell& cell = report.cells.emplace_back();
    cell.id = "s/a";
    cell.scenario = "key";
    cell.status = {report::CellState::ok, ""};
    cell.step_ns = stats::Estimate{time, {0.99 * time, 1.01 * time}, 10, false};
  };
  for (const auto& [reports, step_ns] : levels) {
    for (int i = 0; i < reports; ++i) add(step_ns);
  }
  return read;
}

History history_with(const std::vector<Level>& levels) { return history_of(reports_taking(levels), {}); }

Verdict newest_in(const History& history) { return history.cells.at(0).newest->comparison->verdict; }

std::vector<int> reports_with(const HistoryCell& cell) {
  std::vector<int> reports;
  for (const report::HistoryPoint& point : cell.points) reports.push_back(point.report);
  return reports;
}

TEST(History, AStepHasItsTwoRevisionsItsRatioAndAVerdict) {
  ReadReports read = reports_taking({{14, 100}, {12, 105}});
  for (std::size_t i = 14; i < read.reports.size(); ++i) {
    read.reports[i].environment = R"({"cpu": {"model": "Processor"}, "build": {"compiler": "GNU 13"}})";
  }
  const History history = history_of(read, {});
  ASSERT_EQ(history.cells.size(), 1U);
  const HistoryCell& cell = history.cells[0];
  ASSERT_EQ(cell.changes.size(), 1U);
  const report::HistoryChange& change = cell.changes[0];
  EXPECT_EQ(change.before + " " + change.after, "r13 r14");
  EXPECT_EQ(change.last_before, 13);
  EXPECT_EQ(change.first_after, 14);
  EXPECT_EQ(change.comparison.verdict, Verdict::slower) << change.comparison.remark;
  EXPECT_NEAR(change.comparison.ratio.value, 1.05, 0.005);
  EXPECT_LT(change.comparison.ratio.interval.low, 1.05);
  EXPECT_GT(change.comparison.ratio.interval.high, 1.05);
  EXPECT_EQ(change.remark, "build/compiler: found \"GNU 13\", the base has \"GNU 12\"");
  EXPECT_EQ(change.comparison.ratio.launches, 110) << "of the later level, which has fewer";
  ASSERT_EQ(cell.segments.size(), 2U);
  EXPECT_EQ(cell.segments[1].last, 24) << "the newest revision is judged by itself";
  EXPECT_EQ(cell.segments[1].reports, 11);
  EXPECT_NEAR(cell.segments[1].level_ns.value, 105, 1);
  EXPECT_EQ(newest_in(history), Verdict::equivalent) << "it belongs to the later level";
}

TEST(History, AStepWithinTheMarginIsAChangeThatDoesNotMatter) {
  const ReadReports read = reports_taking({{30, 100}, {31, 102}});
  const History history = history_of(read, {});
  ASSERT_EQ(history.cells[0].changes.size(), 1U);
  EXPECT_EQ(history.cells[0].changes[0].comparison.verdict, Verdict::equivalent);
  EXPECT_EQ(history_of(read, {.margin = 0.01}).cells[0].changes[0].comparison.verdict, Verdict::slower);
}

// How seldom levels change by noise alone is tested with the change points (tests/unit/stats).
TEST(History, NoiseAloneSeldomAlarms) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Verdict verdict = newest_in(history_of(reports_taking({{25, 100}}, 500 + seed), {.margin = 0.001}));
    alarms += verdict == Verdict::slower || verdict == Verdict::faster ? 1 : 0;
  }
  EXPECT_LT(alarms, 9) << "1% is 3 of 300; 9 or more would be a chance of 1 in 260";
}

TEST(History, TheNewestRevisionIsFoundSlowerByItself) {
  const History history = history_with({{20, 100}, {1, 110}});
  EXPECT_TRUE(history.is_slower());
  EXPECT_EQ(newest_in(history), Verdict::slower);
  EXPECT_EQ(history.revision, "r20");
  EXPECT_TRUE(history.cells[0].changes.empty());
  EXPECT_FALSE(history_with({{20, 100}, {1, 90}}).is_slower());
  EXPECT_FALSE(history_with({{14, 100}, {12, 110}, {1, 110}}).is_slower())
      << "against the level before it, not against the first one";
}

TEST(History, EveryReportOfTheNewestRevisionMustShowIt) {
  ReadReports read = reports_taking({{20, 100}, {1, 130}, {1, 100}});
  read.reports[21].source.revision = read.reports[20].source.revision;
  EXPECT_EQ(newest_in(history_of(read, {})), Verdict::inconclusive);
  read.reports[21].cells[0].step_ns->value = 125;
  const History history = history_of(read, {});
  EXPECT_EQ(newest_in(history), Verdict::slower);
  EXPECT_EQ(history.cells[0].newest->reports, (std::vector<int>{20, 21}));
}

TEST(History, FewerLaunchesMakeTheNewestLessSure) {
  ReadReports read = reports_taking({{21, 100}});
  read.reports[20].cells[0].step_ns->value = 105.3;
  EXPECT_EQ(newest_in(history_of(read, {})), Verdict::slower);
  read.reports[20].cells[0].step_ns->launches = 3;
  EXPECT_EQ(newest_in(history_of(read, {})), Verdict::inconclusive);
  read.reports[20].cells[0].step_ns->launches = 1;
  EXPECT_NE(history_of(read, {}).cells[0].newest->comparison->remark.find("within one process"), std::string::npos);
}

TEST(History, ADirtyControlLowersTheVerdict) {
  ReadReports read = reports_taking({{20, 100}, {1, 110}});
  read.reports[20].cells[0].noise_floor = 0.2;
  EXPECT_EQ(newest_in(history_of(read, {})), Verdict::equivalent);
  read.reports[20].cells[0].unfit = "this machine was unfit";
  const History history = history_of(read, {});
  EXPECT_EQ(newest_in(history), Verdict::inconclusive);
  EXPECT_EQ(history.cells[0].newest->comparison->remark, "this machine was unfit");
}

TEST(History, FewReportsDecideLittleAndSaySo) {
  EXPECT_FALSE(history_with({{1, 100}}).cells[0].newest->comparison.has_value());
  const History two = history_with({{1, 100}, {1, 200}});
  EXPECT_EQ(newest_in(two), Verdict::inconclusive);
  EXPECT_NE(two.cells[0].newest->comparison->remark.find("one report before it"), std::string::npos);
  const History three = history_with({{1, 100}, {1, 103}, {1, 130}});
  EXPECT_EQ(three.cells[0].segments.size(), 1U);
  EXPECT_EQ(newest_in(three), Verdict::inconclusive) << "two reports hardly tell how far reports scatter";
}

TEST(History, CellsThatAreMissingInSomeReportsHaveGaps) {
  ReadReports read = reports_taking({{14, 100}, {12, 110}});
  for (const std::size_t gap : {3U, 13U, 14U}) read.reports[gap].cells.clear();
  read.reports[5].cells[0].step_ns.reset();
  read.reports[25].cells[0].step_ns.reset();
  read.reports[25].cells[0].status = {report::CellState::wrong, "w0 differs"};
  const HistoryCell cell = history_of(read, {}).cells.at(0);
  EXPECT_EQ(cell.points.size(), 26U - 5U);
  ASSERT_EQ(cell.changes.size(), 1U);
  EXPECT_EQ(cell.changes[0].before + " " + cell.changes[0].after, "r12 r15");
  EXPECT_FALSE(cell.newest.has_value());
  EXPECT_EQ(cell.remark, "wrong: w0 differs");
}

TEST(History, AnotherScenarioOfTheSameNameIsAnotherSeries) {
  for (const auto member : {&MeasuredCell::scenario, &MeasuredCell::data_digest}) {
    ReadReports read = reports_taking({{6, 100}});
    for (std::size_t i = 3; i < 6; ++i) read.reports[i].cells[0].*member = "other";
    const History history = history_of(read, {});
    ASSERT_EQ(history.cells.size(), 2U);
    EXPECT_EQ(reports_with(history.cells[0]), (std::vector<int>{3, 4, 5}));
    EXPECT_EQ(reports_with(history.cells[1]), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(history.cells[1].remark, "the scenario or its data are not the same any more");
  }
}

TEST(History, ManyCellsAreOneFamily) {
  ReadReports read = reports_taking({{12, 100}, {1, 106.5}});
  EXPECT_EQ(newest_in(history_of(read, {})), Verdict::slower);
  for (MeasuredReport& report : read.reports) {
    for (int i = 0; i < 400; ++i) {
      report.cells.push_back(report.cells[0]);
      report.cells.back().id = "s/other" + std::to_string(i);
      if (&report == &read.reports.back()) report.cells.back().step_ns->value = 100;
    }
  }
  const History history = history_of(read, {});
  EXPECT_EQ(newest_in(history), Verdict::inconclusive);
  EXPECT_NE(history.cells[0].newest->comparison->remark.find("among 401 cells"), std::string::npos)
      << history.cells[0].newest->comparison->remark;
}

TEST(History, TheMachineWithMostReportsIsTheHistory) {
  ReadReports read = reports_taking({{7, 100}});
  for (const std::size_t other : {2U, 6U}) {
    read.reports[other].environment = R"({"cpu": {"model": "Abacus"}})";
    read.reports[other].machine = "Abacus";
  }
  read.notes = {"a note"};
  const History history = history_of(read, {});
  EXPECT_EQ(history.reports.size(), 5U);
  EXPECT_EQ(history.revision, "r5");
  ASSERT_EQ(history.separated.size(), 1U);
  EXPECT_EQ(history.separated[0].machine, "Abacus");
  EXPECT_EQ(history.separated[0].difference, "cpu/model: found \"Abacus\", the base has \"Processor\"");
  EXPECT_EQ(history.separated[0].files, (std::vector<std::string>{"2.json", "6.json"}));
  EXPECT_EQ(history.notes, std::vector<std::string>{"a note"});

  read.reports[1].environment = read.reports[6].environment;
  read.reports.erase(read.reports.begin());
  EXPECT_EQ(history_of(read, {}).reports.back().file, "6.json") << "of two with three, the one with the newest";
}

std::vector<std::string> files_of(const History& history) {
  std::vector<std::string> files;
  for (const report::HistoryReport& report : history.reports) files.push_back(report.file);
  return files;
}

TEST(History, CommitsAreInTheirOrderAndReportsOfOneStayTogether) {
  ReadReports read = reports_taking({{5, 100}});
  const char* committed[] = {"2025-03-01T00:00:00Z", "2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z",
                             "2025-02-01T00:00:00Z", "2025-01-01T00:00:00Z"};
  for (std::size_t i = 0; i < 5; ++i) read.reports[i].source.committed_at = committed[i];
  read.reports[2].source.revision = "r0";
  read.reports[4].source.revision = "r1";
  EXPECT_EQ(files_of(history_of(read, {})),
            (std::vector<std::string>{"1.json", "4.json", "3.json", "0.json", "2.json"}));
  read.reports[3].source.committed_at.clear();
  EXPECT_EQ(files_of(history_of(read, {})),
            (std::vector<std::string>{"0.json", "2.json", "1.json", "4.json", "3.json"}))
      << "by their first runs, where one does not know";
}

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
