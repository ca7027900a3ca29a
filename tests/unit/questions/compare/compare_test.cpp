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

TEST(CompareArms, OneLaunchHasARatioThatSaysNothingOfOthers) {
  const report::Report report = report_of({cell_taking("a", "base", 100, 1), cell_taking("a", "new", 150, 1)});
  const report::ComparedCell cell = compare_arms(report, {.margin = 0.01}).cells[0];
  EXPECT_EQ(cell.change, Change::inconclusive);
  ASSERT_TRUE(cell.ratio.has_value());
  EXPECT_NEAR(cell.ratio->value, 1.5, 0.05);
  EXPECT_TRUE(cell.ratio->within_one_process);
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

TEST(CompareArms, FreshLaunchesBeginWithTheOneThatIsNamed) {
  // Slower in launches 0 to 39 and equal from 40 on: a launch on the wrong side would be half a verdict of its own.
  report::Report report = report_of({cell_taking("a", "base", 100, 49), cell_taking("a", "new", 100, 49)});
  report.cells[1].confirmed_from = 40;
  for (report::Sample& sample : report.cells[1].samples) sample.real_ns *= sample.launch < 40 ? 1.1 : 1;
  const report::ComparedCell cell = compare_arms(report, {.margin = 0.02}).cells[0];
  EXPECT_EQ(cell.remark, "slower at first, not again in fresh launches");
  EXPECT_EQ(cell.ratio->launches, 9);
}

TEST(CompareArms, SaysWhichBuildsItComparesAndHow) {
  report::Report report = report_of({cell_taking("a", "base", 100), cell_taking("a", "control", 100.3),
                                     cell_taking("a", "new", 100), cell_taking("b", "new", 100)});
  report.cells[0].worker = "gdbench 1";
  report.cells[3].worker = "gdbench 2";
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.015, .confidence = 0.95});
  EXPECT_EQ(comparison.base_build, "gdbench 1");
  EXPECT_EQ(comparison.next_build, "gdbench 2") << "of the first cell that says one";
  EXPECT_EQ(comparison.margin, 0.015);
  EXPECT_EQ(comparison.confidence, 0.95);
  EXPECT_NEAR(comparison.noise_floor, 0.003, 0.0005) << "what the control is off by";
  ASSERT_EQ(comparison.cells.size(), 2U);
  EXPECT_NEAR(comparison.cells[0].base_ns->value, 100, 1);
  EXPECT_NEAR(comparison.cells[0].ratio->value, 1, 1e-9);
  EXPECT_TRUE(comparison.cells[0].layouts.empty()) << "there is one layout";
}

TEST(CompareArms, WarnsOfLayoutsWhereTheMarginIsOfTheirSize) {
  const report::Report report = report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 100)});
  const std::vector<std::string> remarks = compare_arms(report, {.margin = 0.019}).remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0],
            "differences below 2% between two builds may come from where the linker put the code: measure padded "
            "builds too (--padded) before you act on them");
  EXPECT_TRUE(compare_arms(report, {.margin = 0.02}).remarks.empty());
}

TEST(CompareArms, TheMoreCellsTheMoreLaunchesAVerdictNeeds) {
  std::vector<report::Cell> cells;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    cells.push_back(cell_taking(name, "base", 100, 9));
    cells.push_back(cell_taking(name, "new", 105, 9));
  }
  const report::ReportComparison one = compare_arms(report_of({cells[0], cells[1]}), {.margin = 0.01});
  EXPECT_EQ(one.cells[0].change, Change::regressed);
  const report::ReportComparison five = compare_arms(report_of(cells), {.margin = 0.01});
  EXPECT_EQ(five.cells[0].change, Change::inconclusive) << "1% over five cells needs ten launches of each";
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
  // From the least ratio, 104 / 100.5, to the largest, 104.5 / 100.
  EXPECT_LE(slower_in_all.cells[0].ratio->interval.low, 104 / 100.5 + 1e-9);
  EXPECT_GE(slower_in_all.cells[0].ratio->interval.high, 1.045 - 1e-9);
  EXPECT_NEAR(slower_in_all.cells[0].ratio->value, 1.04, 1e-9);

  const report::ReportComparison one_layout_only = compared(104, 104);
  EXPECT_EQ(one_layout_only.cells[0].change, Change::inconclusive);
  EXPECT_EQ(one_layout_only.cells[0].remark, "not so in every layout of the code");
  EXPECT_NEAR(one_layout_only.cells[0].layout.value(), 0.04, 1e-3);
  EXPECT_LE(one_layout_only.cells[0].ratio->interval.low, 1);
  EXPECT_NE(one_layout_only.remarks.at(0).find("differ by up to 4%"), std::string::npos) << one_layout_only.remarks[0];
}

TEST(CompareArms, OneSideMayHaveAPaddedBuildAlone) {
  const report::ReportComparison comparison = compare_arms(
      report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 100), cell_taking("a", "base-padded", 100.99)}),
      {.margin = 0.02});
  EXPECT_EQ(comparison.cells[0].layouts.size(), 2U);
  EXPECT_NEAR(comparison.cells[0].layout.value(), 0.0099, 1e-9);
  EXPECT_EQ(comparison.remarks.at(0),
            "padded builds, which differ in the addresses of their code alone, differ by up to 0.99%; intervals span "
            "all layouts");
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

const report::ComparedCell& cell_in(const report::ReportComparison& comparison, const std::string& id) {
  return *std::ranges::find(comparison.cells, id, &report::ComparedCell::id);
}

TEST(CompareReports, SaysWhyACellHasNoRatio) {
  report::Cell wrong = cell_taking("c", "new", 1);
  wrong.status = {CellState::wrong, "w0 differs"};
  report::Cell unsupported = cell_taking("u", "new", 1);
  unsupported.status = {CellState::unsupported, "f64"};
  report::Cell neither = cell_taking("n", "new", 1);
  neither.status = {CellState::wrong, ""};
  report::Cell changed = cell_taking("k", "new", 1);
  changed.scenario = "another key";
  const report::Report base = report_of({cell_taking("a", "new", 8), cell_taking("c", "new", 4),
                                         cell_taking("u", "new", 2), neither, cell_taking("k", "new", 1)});
  const report::Report next = report_of({cell_taking("z", "new", 16), wrong, unsupported, neither, changed});
  const report::ReportComparison comparison = compare_reports(base, next, {});
  std::vector<std::string> ids;
  for (const report::ComparedCell& cell : comparison.cells) {
    ids.push_back(cell.id);
    EXPECT_FALSE(cell.ratio) << cell.id;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"s/z", "s/c", "s/u", "s/k", "s/a"})) << "the new ones, then what went";
  EXPECT_EQ(cell_in(comparison, "s/z").remark, "");
  EXPECT_EQ(cell_in(comparison, "s/c").remark, "wrong: w0 differs");
  EXPECT_EQ(cell_in(comparison, "s/u").change, Change::removed) << "no failure";
  EXPECT_EQ(cell_in(comparison, "s/u").remark, "unsupported: f64");
  EXPECT_EQ(cell_in(comparison, "s/k").change, Change::inconclusive);
  EXPECT_EQ(cell_in(comparison, "s/k").remark, "the scenario is not the same any more");
  EXPECT_NEAR(cell_in(comparison, "s/c").base_ns->value, 4, 0.1);
  EXPECT_FALSE(cell_in(comparison, "s/c").new_ns);
  EXPECT_NEAR(cell_in(comparison, "s/z").new_ns->value, 16, 0.4);

  const report::ReportComparison back = compare_reports(next, base, {});
  EXPECT_EQ(cell_in(back, "s/c").remark, "wrong: w0 differs in the base");
  EXPECT_EQ(cell_in(back, "s/u").change, Change::added);
  EXPECT_EQ(cell_in(back, "s/u").remark, "unsupported: f64 in the base");
}

TEST(CompareReports, OneRunIsPairedAndTwoAreNot) {
  report::Report base = report_of({cell_taking("a", "new", 100)});
  report::Report next = report_of({cell_taking("a", "new", 100)});
  base.cells[0].worker = "gdbench 1";
  next.cells[0].worker = "gdbench 2";
  const report::ReportComparison two = compare_reports(base, next, {.margin = 0.04, .confidence = 0.98});
  EXPECT_FALSE(two.paired);
  ASSERT_EQ(two.remarks.size(), 1U);
  EXPECT_EQ(two.remarks[0].rfind("two runs: ", 0), 0U) << two.remarks[0];
  EXPECT_EQ(two.base_build, "gdbench 1");
  EXPECT_EQ(two.next_build, "gdbench 2");
  EXPECT_EQ(two.margin, 0.04);
  EXPECT_EQ(two.confidence, 0.98);
  const report::ReportComparison one = compare_reports(base, base, {});
  EXPECT_TRUE(one.paired);
  EXPECT_TRUE(one.remarks.empty());
}

TEST(CompareReports, TheControlOfEitherRunIsHeeded) {
  const report::Report clean = report_of({cell_taking("a", "new", 100)});
  const report::Report dirty = report_of({cell_taking("a", "new", 100), cell_taking("a", "control", 104)});
  for (const auto& comparison : {compare_reports(clean, dirty, {}), compare_reports(dirty, clean, {})}) {
    EXPECT_EQ(comparison.cells[0].change, Change::inconclusive);
    EXPECT_NE(comparison.cells[0].remark.find("unfit"), std::string::npos) << comparison.cells[0].remark;
    EXPECT_NEAR(comparison.noise_floor, 0.04, 0.002);
  }
}

TEST(CompareReports, OtherBuildsAreCompared) {
  report::Report base = report_of({cell_taking("a", "new", 100)});
  report::Report next = base;
  base.environment = R"({"cpu": {"model": "A"}, "build": {"compiler": "g++ 12"}})";
  next.environment = R"({"cpu": {"model": "A"}, "build": {"compiler": "g++ 13"}})";
  const report::ReportComparison comparison = compare_reports(base, next, {});
  ASSERT_EQ(comparison.remarks.size(), 1U);
  EXPECT_EQ(comparison.remarks[0], "not built alike: build/compiler: found \"g++ 13\", the base has \"g++ 12\"");
  EXPECT_EQ(comparison.cells.size(), 1U);
}

TEST(CompareReports, OtherMachinesAreNotComparableUnlessForced) {
  const report::Report base = report_of({cell_taking("a", "new", 100)});
  report::Report next = base;
  next.environment = R"({"cpu": {"model": "Abacus"}, "kernel": "Linux 6"})";
  const report::ReportComparison refused = compare_reports(base, next, {});
  EXPECT_EQ(refused.not_comparable, "not the same machine: cpu/model: found \"Abacus\", the base has \"Processor\"");
  EXPECT_TRUE(refused.cells.empty());
  const report::ReportComparison forced = compare_reports(base, next, {.force = true});
  EXPECT_EQ(forced.cells.size(), 1U);
  EXPECT_EQ(forced.not_comparable, "");
  EXPECT_EQ(forced.remarks.at(0), refused.not_comparable);
}

TEST(FirstDifference, IsCutWhereItIsLong) {
  const std::string words(70, 'x');
  const std::string there = first_difference(kMachine, R"({"kernel": "K"})", R"({"kernel": ")" + words + "\"}");
  EXPECT_EQ(there, "kernel: found \"" + words.substr(0, 59) + "..., the base has \"K\"");
  EXPECT_EQ(first_difference(kMachine, R"({"kernel": "K"})", "{}"), "kernel: found null, the base has \"K\"");
  EXPECT_EQ(first_difference(kMachine, R"({"load": 1})", R"({"load": 2})"), "") << "not what times depend on";
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
  EXPECT_EQ(comparison.remarks.at(0).rfind("within one of the runs the machine's speed drifted by 20%", 0), 0U)
      << comparison.remarks.at(0);
  EXPECT_NEAR(compare_reports(next, base, {}).noise_floor, comparison.noise_floor, 1e-12) << "in whichever run";
}

TEST(CompareReports, ADriftIsThatOfTheCellInTheMiddleBetweenTheHalvesOfARun) {
  // Five launches: two are the earlier half. One cell in three drifts much more, and cells without a time say nothing.
  std::vector<report::Cell> cells;
  for (const double drift : {1.1, 1.05, 3.0}) {
    cells.push_back(cell_taking("c" + std::to_string(cells.size()), "new", 100, 5));
    for (report::Sample& sample : cells.back().samples) sample.real_ns = sample.launch < 2 ? 100 * drift : 100;
  }
  cells.push_back(cell_taking("one launch", "new", 100, 1));
  cells.push_back(cell_taking("unsupported", "new", 100, 5));
  cells.back().status = {CellState::unsupported, "f64"};
  const report::Report base = report_of(cells);
  report::Report next = base;
  next.run.id = "another";
  const report::ReportComparison comparison = compare_reports(base, next, {});
  EXPECT_NEAR(comparison.noise_floor, 0.1, 1e-9);
  EXPECT_TRUE(comparison.remarks.at(0).starts_with("within one of the runs the machine's speed drifted by 10%, "))
      << comparison.remarks.at(0);
}

}  // namespace
}  // namespace gdbench::compare
