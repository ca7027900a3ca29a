#include "harness/questions/history/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "made_reports.h"

namespace gdbench::history {
namespace {

using report::History;
using report::HistoryCell;
using stats::Verdict;

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
  EXPECT_EQ(change.before, "r13");
  EXPECT_EQ(change.after, "r14");
  EXPECT_EQ(change.last_before, 13);
  EXPECT_EQ(change.first_after, 14);
  EXPECT_EQ(change.comparison.verdict, Verdict::slower) << change.comparison.remark;
  EXPECT_NEAR(change.comparison.ratio.value, 1.05, 0.005);
  EXPECT_LT(change.comparison.ratio.interval.low, 1.05);
  EXPECT_GT(change.comparison.ratio.interval.high, 1.05);
  EXPECT_EQ(change.remark, "build/compiler: found \"GNU 13\", the base has \"GNU 12\"");
  EXPECT_EQ(change.comparison.ratio.launches, 110) << "of the later level, which has fewer";

  ASSERT_EQ(cell.segments.size(), 2U);
  EXPECT_EQ(cell.segments[0].first, 0);
  EXPECT_EQ(cell.segments[0].last, 13);
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

TEST(History, NoiseAloneSeldomAlarms) {
  int changes = 0;
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const History history = history_of(reports_taking({{25, 100}}, 500 + seed), {.margin = 0.001});
    changes += history.cells[0].changes.empty() ? 0 : 1;
    const Verdict verdict = newest_in(history);
    alarms += verdict == Verdict::slower || verdict == Verdict::faster ? 1 : 0;
  }
  // 1% is 3 of 300; 9 or more would be a chance of 1 in 260.
  EXPECT_LT(changes, 9);
  EXPECT_LT(alarms, 9);
}

TEST(History, TheNewestRevisionIsFoundSlowerByItself) {
  const History history = history_with({{20, 100}, {1, 110}});
  EXPECT_TRUE(history.is_slower());
  EXPECT_EQ(newest_in(history), Verdict::slower);
  EXPECT_EQ(history.revision, "r20");
  EXPECT_EQ(history.cells[0].newest->reports, std::vector<int>{20});
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
  const History one = history_with({{1, 100}});
  EXPECT_FALSE(one.cells[0].newest->comparison.has_value());
  EXPECT_TRUE(one.cells[0].segments.empty());

  const History two = history_with({{1, 100}, {1, 200}});
  EXPECT_EQ(newest_in(two), Verdict::inconclusive);
  EXPECT_NE(two.cells[0].newest->comparison->remark.find("one report before it"), std::string::npos);

  const History three = history_with({{1, 100}, {1, 103}, {1, 130}});
  EXPECT_TRUE(three.cells[0].changes.empty());
  EXPECT_EQ(three.cells[0].segments.size(), 1U);
  EXPECT_EQ(newest_in(three), Verdict::inconclusive) << "two reports hardly tell how far reports scatter";
}

TEST(History, AnOutlierIsNoChange) {
  const History history = history_with({{12, 100}, {1, 150}, {17, 100}});
  EXPECT_TRUE(history.cells[0].changes.empty());
  EXPECT_NEAR(history.cells[0].segments[0].level_ns.value, 100, 1);
}

TEST(History, CellsThatAreMissingInSomeReportsHaveGaps) {
  ReadReports read = reports_taking({{14, 100}, {12, 110}});
  for (const std::size_t gap : {3U, 13U, 14U}) read.reports[gap].cells.clear();
  read.reports[5].cells[0].step_ns.reset();
  read.reports[25].cells[0].step_ns.reset();
  read.reports[25].cells[0].status = {report::CellState::wrong, "w0 differs"};
  const History history = history_of(read, {});
  const HistoryCell& cell = history.cells.at(0);
  EXPECT_EQ(reports_with(cell),
            (std::vector<int>{0, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}));
  ASSERT_EQ(cell.changes.size(), 1U);
  EXPECT_EQ(cell.changes[0].before, "r12");
  EXPECT_EQ(cell.changes[0].after, "r15");
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
  EXPECT_EQ(history.machine, "Processor");
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

TEST(History, TwoHundredReports) {
  const History history = history_with({{80, 100}, {70, 105}, {51, 98}});
  ASSERT_EQ(history.cells[0].changes.size(), 2U);
  EXPECT_EQ(history.cells[0].changes[0].after, "r80");
  EXPECT_EQ(history.cells[0].changes[1].after, "r150");
  EXPECT_EQ(history.cells[0].changes[1].comparison.verdict, Verdict::faster);
}

}  // namespace
}  // namespace gdbench::history
