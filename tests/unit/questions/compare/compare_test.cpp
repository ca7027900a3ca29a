#include "harness/questions/compare/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/analysis/summarise.h"
#include "two_arms.h"

namespace gdbench::compare {
namespace {

using report::CellState;
using report::Change;

Change change_in(const report::ReportComparison& comparison, const std::string& id) {
  const auto found = std::find_if(comparison.cells.begin(), comparison.cells.end(),
                                  [&](const report::ComparedCell& cell) { return cell.id == id; });
  return found == comparison.cells.end() ? Change::removed : found->change;
}

TEST(CompareArms, NamesWhatIsSlowerAndWhatIsNot) {
  const report::Report report =
      report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 105), cell_taking("b", "base", 100),
                 cell_taking("b", "new", 100), cell_taking("c", "base", 100), cell_taking("c", "new", 90)});
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.01});
  ASSERT_EQ(comparison.cells.size(), 3U);
  EXPECT_TRUE(comparison.paired);
  EXPECT_EQ(change_in(comparison, "s/a"), Change::regressed);
  EXPECT_EQ(change_in(comparison, "s/b"), Change::equivalent);
  EXPECT_EQ(change_in(comparison, "s/c"), Change::improved);
}

TEST(CompareArms, TheMarginDecidesWhatMatters) {
  const report::Report report = report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 105)});
  EXPECT_EQ(compare_arms(report, {.margin = 0.10}).cells[0].change, Change::equivalent);
}

TEST(CompareArms, FewLaunchesReachNoVerdictAndSaySo) {
  const report::Report report = report_of({cell_taking("a", "base", 100, 7), cell_taking("a", "new", 150, 7)});
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.01});
  EXPECT_EQ(comparison.cells[0].change, Change::inconclusive);
  EXPECT_EQ(comparison.cells[0].remark, "7 launches, at least 8 are needed");
}

TEST(CompareArms, WhatIsNotConfirmedIsInconclusive) {
  report::Report report = report_of({cell_taking("a", "base", 100, 80), cell_taking("a", "new", 110, 80)});
  for (report::Cell& cell : report.cells) cell.confirmed_from = 40;
  EXPECT_EQ(compare_arms(report, {.margin = 0.01}).cells[0].change, Change::regressed);
  for (report::Sample& sample : report.cells[1].samples) {
    if (sample.launch >= 40) sample.real_ns /= 1.1;
  }
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.01});
  EXPECT_EQ(comparison.cells[0].change, Change::inconclusive);
  EXPECT_EQ(comparison.cells[0].remark, "slower at first, not again in fresh launches");
}

TEST(CompareArms, OneFreshLaunchConfirmsNothingAndSaysSo) {
  report::Report report = report_of({cell_taking("a", "base", 100, 80), cell_taking("a", "new", 110, 80)});
  for (report::Cell& cell : report.cells) cell.confirmed_from = 79;
  const report::ComparedCell cell = compare_arms(report, {.margin = 0.01}).cells[0];
  EXPECT_EQ(cell.change, Change::inconclusive);
  EXPECT_EQ(cell.remark,
            "slower at first; fresh launches: measured within one process: says nothing about other launches");
}

TEST(CompareArms, WhatPaddingAloneDoesIsNoRegression) {
  const auto compared = [](double base_padded_ns, double new_padded_ns) {
    const report::Report report =
        report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 104),
                   cell_taking("a", "base-padded", base_padded_ns), cell_taking("a", "new-padded", new_padded_ns)});
    return compare_arms(report, {.margin = 0.01});
  };
  const report::ReportComparison slower_in_all = compared(100.5, 104.5);
  EXPECT_EQ(slower_in_all.cells[0].change, Change::regressed);
  EXPECT_EQ(slower_in_all.cells[0].layouts.size(), 4U);
  EXPECT_NEAR(slower_in_all.cells[0].layouts[3], 104.5 / 100.5, 1e-3);
  EXPECT_NEAR(slower_in_all.cells[0].layout.value(), 0.005, 1e-3);

  const report::ReportComparison one_layout_only = compared(104, 104);
  EXPECT_EQ(one_layout_only.cells[0].change, Change::inconclusive);
  EXPECT_EQ(one_layout_only.cells[0].remark, "not so in every layout of the code");
  EXPECT_NEAR(one_layout_only.cells[0].layout.value(), 0.04, 1e-3);
  EXPECT_LE(one_layout_only.cells[0].ratio->interval.low, 1);
  EXPECT_NE(one_layout_only.remarks.at(0).find("differ by up to 4%"), std::string::npos) << one_layout_only.remarks[0];
}

TEST(CompareArms, ADirtyControlLowersEveryVerdict) {
  const report::Report report =
      report_of({cell_taking("a", "base", 100), cell_taking("a", "control", 104), cell_taking("a", "new", 150)});
  ASSERT_TRUE(report.controls.has_value());
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.01});
  EXPECT_EQ(comparison.cells[0].change, Change::inconclusive);
  EXPECT_NE(comparison.cells[0].remark.find("unfit"), std::string::npos) << comparison.cells[0].remark;
}

TEST(CompareReports, TheSameReportTwiceIsEquivalent) {
  const report::Report report = report_of({cell_taking("a", "new", 100), cell_taking("b", "new", 7)});
  for (const report::ComparedCell& cell : compare_reports(report, report, {}).cells) {
    EXPECT_EQ(cell.change, Change::equivalent) << cell.remark;
    EXPECT_EQ(cell.ratio->value, 1);
  }
}

TEST(CompareReports, MatchesCellsAndSaysWhatCameAndWent) {
  report::Cell failing = cell_taking("c", "new", 1);
  failing.status = {CellState::wrong, "w0 differs"};
  const report::Report base = report_of({cell_taking("a", "new", 100), cell_taking("b", "new", 10),
                                         cell_taking("c", "new", 1), cell_taking("m", "new", 1)});
  const report::Report next = report_of(
      {cell_taking("a", "new", 120, 40, 2), failing, cell_taking("d", "new", 5), cell_taking("m", "new", 1, 40, 3)});
  const report::ReportComparison comparison = compare_reports(base, next, {.margin = 0.03});
  EXPECT_FALSE(comparison.paired);
  EXPECT_EQ(change_in(comparison, "s/a"), Change::regressed);
  EXPECT_EQ(change_in(comparison, "s/b"), Change::removed);
  EXPECT_EQ(change_in(comparison, "s/c"), Change::failing);
  EXPECT_EQ(change_in(comparison, "s/d"), Change::added);
  EXPECT_EQ(change_in(comparison, "s/m"), Change::equivalent);
  EXPECT_EQ(change_in(compare_reports(next, base, {}), "s/c"), Change::fixed);
}

TEST(CompareReports, OtherMachinesAreNotComparableUnlessForced) {
  const report::Report base = report_of({cell_taking("a", "new", 100)});
  report::Report next = base;
  next.environment = R"({"cpu": {"model": "Abacus"}, "kernel": "Linux 6"})";
  const report::ReportComparison refused = compare_reports(base, next, {});
  EXPECT_EQ(refused.not_comparable, "not the same machine: cpu/model: found \"Abacus\", the base has \"Processor\"");
  EXPECT_TRUE(refused.cells.empty());
  EXPECT_EQ(compare_reports(base, next, {.force = true}).cells.size(), 1U);
}

TEST(CompareReports, ADriftWithinARunIsTheLeastMargin) {
  const report::Report base = report_of({cell_taking("a", "new", 100), cell_taking("b", "new", 100)});
  report::Report next = base;
  next.run.id = "another";
  for (report::Cell& cell : next.cells) {
    for (report::Sample& sample : cell.samples) sample.real_ns *= sample.launch < 20 ? 1 : 1.2;
  }
  analysis::summarise(next);
  const report::ReportComparison comparison = compare_reports(base, next, {.margin = 0.03});
  EXPECT_GT(comparison.noise_floor, 0.15);
  for (const report::ComparedCell& cell : comparison.cells) EXPECT_NE(cell.change, Change::regressed);
}

}  // namespace
}  // namespace gdbench::compare
