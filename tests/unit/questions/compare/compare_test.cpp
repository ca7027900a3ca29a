#include "harness/questions/compare/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/analysis/summarise.h"
#include "two_arms.h"

namespace gdbench::compare {
namespace {

using report::CellState;
using report::Change;

const report::ComparedCell& cell_in(const report::ReportComparison& comparison, const std::string& id) {
  return *std::ranges::find(comparison.cells, id, &report::ComparedCell::id);
}

// A cell of both arms.
report::Report report_of_arms(double base_ns, double new_ns, int launches = 40) {
  return report_of({cell_taking("a", "base", base_ns, launches), cell_taking("a", "new", new_ns, launches)});
}

report::ComparedCell compared(const report::Report& report, double margin = 0.01) {
  return compare_arms(report, {.margin = margin}).cells.at(0);
}

TEST(CompareArms, NamesWhatIsSlowerAndWhatIsNot) {
  const report::Report report =
      report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 105), cell_taking("b", "base", 100),
                 cell_taking("b", "new", 100), cell_taking("c", "base", 100), cell_taking("c", "new", 90)});
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.01});
  ASSERT_EQ(comparison.cells.size(), 3U);
  EXPECT_TRUE(comparison.paired);
  EXPECT_EQ(cell_in(comparison, "s/a").change, Change::regressed);
  EXPECT_EQ(cell_in(comparison, "s/b").change, Change::equivalent);
  EXPECT_EQ(cell_in(comparison, "s/c").change, Change::improved);
  EXPECT_EQ(cell_in(compare_arms(report, {.margin = 0.10}), "s/a").change, Change::equivalent) << "5% do not matter";
}

TEST(CompareArms, HoldsAtEveryLookWhereLaunchesEndedOnceItWasDecided) {
  report::Report report = report_of_arms(100, 150, 10);
  EXPECT_EQ(compared(report).ratio->method, stats::IntervalMethod::order_statistics);
  report.run.until_decided = true;
  EXPECT_EQ(compared(report).change, Change::regressed);
  EXPECT_EQ(compared(report).ratio->method, stats::IntervalMethod::every_look);
  report = report_of_arms(100, 150, 9);
  report.run.until_decided = true;
  EXPECT_EQ(compared(report).remark, "9 launches, at least 10 are needed");
}

using report::Quantity;

constexpr Quantity kGated[] = {Quantity::first_step,  Quantity::prepare,    Quantity::import,
                               Quantity::peak_memory, Quantity::own_memory, Quantity::device_memory,
                               Quantity::allocations};

std::vector<report::Gate> gates() {
  std::vector<report::Gate> gates;
  for (const Quantity quantity : kGated) gates.push_back({quantity, margin_of(quantity)});
  return gates;
}

// Every quantity of a cell, with a scatter that differs from launch to launch; `grown` is larger by a factor.
report::Cell with_quantities(report::Cell cell, std::mt19937_64& generator, Quantity grown = Quantity::step,
                             double factor = 1) {
  std::normal_distribution<double> scatter(0, 0.03);
  const auto value = [&](Quantity quantity, double typical) {
    return typical * (quantity == grown ? factor : 1) * (1 + scatter(generator));
  };
  for (report::Launch& launch : cell.launches) {
    launch.first_step_ns = value(Quantity::first_step, 2e7);
    launch.import_seconds = value(Quantity::import, 2);
    launch.prepare_seconds = *launch.import_seconds + value(Quantity::prepare, 0.5);
    launch.peak_resident_bytes = static_cast<std::int64_t>(value(Quantity::peak_memory, 1e8));
    launch.peak_anonymous_bytes = static_cast<std::int64_t>(value(Quantity::own_memory, 5e7));
    launch.peak_device_bytes = static_cast<std::int64_t>(value(Quantity::device_memory, 2e8));
  }
  cell.profile.emplace().allocations_per_step = grown == Quantity::allocations ? 10 * factor : 10;
  return cell;
}

TEST(Gates, EachQuantityThatGrewIsNamedAndNoOther) {
  std::mt19937_64 generator(1);
  for (const auto& [grown, factor] : {std::pair{Quantity::first_step, 2.0},
                                      {Quantity::prepare, 1.3},
                                      {Quantity::import, 1.3},
                                      {Quantity::peak_memory, 1.15},
                                      {Quantity::own_memory, 1.15},
                                      {Quantity::device_memory, 1.15},
                                      {Quantity::allocations, 1.1}}) {
    const report::Report report = report_of({with_quantities(cell_taking("a", "base", 100), generator),
                                             with_quantities(cell_taking("a", "new", 100), generator, grown, factor)});
    const report::ReportComparison comparison = compare_arms(report, {.margin = 0.01, .gates = gates()});
    ASSERT_EQ(comparison.cells.size(), 1 + std::size(kGated));
    for (const report::ComparedCell& cell : comparison.cells) {
      EXPECT_EQ(cell.change == Change::regressed, cell.quantity == grown) << report::name_of(cell.quantity);
      ASSERT_TRUE(cell.ratio);
      EXPECT_NEAR(cell.ratio->value, cell.quantity == grown ? factor : 1, 0.05);
    }
    EXPECT_EQ(compare_arms(report, {.margin = 0.01}).cells.size(), 1U) << "nothing else is judged unasked";
  }
}

TEST(Gates, NoAllocationIsACountLikeAnyOther) {
  const auto change = [](double base_count, double next_count) {
    std::vector<report::Cell> cells = {cell_taking("a", "base", 100), cell_taking("a", "new", 100)};
    cells[0].profile.emplace().allocations_per_step = base_count;
    cells[1].profile.emplace().allocations_per_step = next_count;
    return compare_arms(report_of(cells), {.margin = 0.01, .gates = {{Quantity::allocations, 0.01}}})
        .cells.at(1)
        .change;
  };
  EXPECT_EQ(change(0, 0), Change::equivalent);
  EXPECT_EQ(change(0, 1), Change::regressed);
  EXPECT_EQ(change(1, 0), Change::improved);
  EXPECT_EQ(change(300, 301), Change::equivalent);
}

// Of steps, too, and of the last gate that names the cell.
TEST(Gates, HaveMarginsForSomeCells) {
  const auto change = [](const std::vector<report::Gate>& gates) {
    std::vector<report::Cell> cells = {cell_taking("a", "base", 100), cell_taking("a", "new", 120)};
    return compare_arms(report_of(cells), {.margin = 0.01, .gates = gates}).cells.at(0).change;
  };
  EXPECT_EQ(change({{Quantity::step, 0.5, "*/b"}}), Change::regressed);
  EXPECT_EQ(change({{Quantity::step, 0.5, "*/a"}}), Change::equivalent);
  EXPECT_EQ(change({{Quantity::step, 0.1, "*"}, {Quantity::step, 0.5, "*/a"}}), Change::equivalent);
  EXPECT_EQ(change({{Quantity::step, 0.5, "*/a"}, {Quantity::step, 0.1, "*"}}), Change::regressed);
}

// The reports of two runs, too; what a side lacks is no row.
TEST(Gates, JudgeReportsAndLeaveOutWhatIsNotThere) {
  std::mt19937_64 generator(1);
  const auto report = [&](Quantity grown, double factor) {
    return report_of({with_quantities(cell_taking("a", "new", 100), generator, grown, factor)});
  };
  const CompareOptions options = {.margin = 0.03, .gates = {{Quantity::own_memory, 0.05}, {Quantity::import, 0.1}}};
  report::Report next = report(Quantity::own_memory, 1.5);
  const report::ReportComparison comparison = compare_reports(report(Quantity::step, 1), next, options);
  ASSERT_EQ(comparison.cells.size(), 3U);
  EXPECT_EQ(comparison.cells[1].change, Change::regressed);
  for (report::Launch& launch : next.cells[0].launches) launch.import_seconds.reset();
  EXPECT_EQ(compare_reports(report(Quantity::step, 1), next, options).cells.size(), 2U);
  for (report::Launch& launch : next.cells[0].launches) launch.peak_anonymous_bytes = 1000;
  EXPECT_EQ(compare_reports(next, next, options).cells.size(), 1U) << "too little to be felt";
}

// Two builds that are the same: at 99% for all figures together at most 1 of 100 comparisons alarms, so that more than
// 9 of 300 would be seen once in 600 times at that rate.
TEST(Gates, DoNotAlarmWithoutACause) {
  std::mt19937_64 generator(7);
  int alarms = 0;
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<report::Cell> cells;
    for (const char* name : {"a", "b", "c"}) {
      for (const char* arm : {"base", "new"}) {
        cells.push_back(with_quantities(cell_taking(name, arm, 100, 16, 2 * i + (arm[0] == 'b')), generator));
      }
    }
    CompareOptions options = {.margin = 0, .gates = gates()};
    for (report::Gate& gate : options.gates) gate.margin = 0;
    const report::ReportComparison comparison = compare_arms(report_of(std::move(cells)), options);
    alarms += std::ranges::any_of(comparison.cells, [](const report::ComparedCell& cell) {
      return cell.change == Change::regressed || cell.change == Change::improved;
    });
  }
  EXPECT_LE(alarms, 9);
}

TEST(CompareArms, WhatIsNotConfirmedIsInconclusive) {
  report::Report report = report_of_arms(100, 110, 80);
  report.cells[1].confirmed_from = 40;
  EXPECT_EQ(compared(report).change, Change::regressed);
  report.cells[1].confirmed_from = 79;
  EXPECT_EQ(compared(report).change, Change::inconclusive);
  EXPECT_EQ(compared(report).remark,
            "slower at first; fresh launches: measured within one process: says nothing about other launches");
}

TEST(CompareArms, FreshLaunchesBeginWithTheOneThatIsNamed) {
  // Slower in launches 0 to 39 and equal from 40 on: a launch on the wrong side would be half a verdict of its own.
  report::Report report = report_of_arms(100, 100, 49);
  report.cells[1].confirmed_from = 40;
  for (report::Sample& sample : report.cells[1].samples) sample.real_ns *= sample.launch < 40 ? 1.1 : 1;
  EXPECT_EQ(compared(report, 0.02).change, Change::inconclusive);
  EXPECT_EQ(compared(report, 0.02).remark, "slower at first, not again in fresh launches");
  EXPECT_EQ(compared(report, 0.02).ratio->launches, 9);
}

TEST(CompareArms, SaysWhichBuildsItComparesAndHow) {
  report::Report report = report_of({cell_taking("a", "base", 100), cell_taking("a", "control", 100.3),
                                     cell_taking("a", "new", 100), cell_taking("b", "new", 100)});
  report.cells[0].worker = "gdbench 1";
  report.cells[3].worker = "gdbench 2";
  const report::ReportComparison comparison = compare_arms(report, {.margin = 0.019, .confidence = 0.95});
  EXPECT_EQ(comparison.base_build, "gdbench 1");
  EXPECT_EQ(comparison.next_build, "gdbench 2") << "of the first cell that says one";
  EXPECT_EQ(comparison.margin, 0.019);
  EXPECT_EQ(comparison.confidence, 0.95);
  EXPECT_NEAR(comparison.noise_floor, 0.003, 0.0005) << "what the control is off by";
  EXPECT_EQ(comparison.cells.size(), 2U);
  ASSERT_EQ(comparison.remarks.size(), 1U);
  EXPECT_TRUE(comparison.remarks[0].starts_with("differences below 2% between two builds may come from where the "));
  EXPECT_TRUE(compare_arms(report, {.margin = 0.02}).remarks.empty());
}

TEST(CompareArms, WhatPaddingAloneDoesIsNoRegression) {
  const auto with_padded = [](double base_padded_ns, double new_padded_ns) {
    const report::Report report =
        report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 104),
                   cell_taking("a", "base-padded", base_padded_ns), cell_taking("a", "new-padded", new_padded_ns)});
    return compare_arms(report, {.margin = 0.01});
  };
  const report::ComparedCell slower_in_all = with_padded(100.5, 104.5).cells[0];
  EXPECT_EQ(slower_in_all.change, Change::regressed);
  EXPECT_EQ(slower_in_all.layouts.size(), 4U);
  EXPECT_NEAR(slower_in_all.layouts[3], 104.5 / 100.5, 1e-3);
  EXPECT_NEAR(slower_in_all.layout.value(), 0.005, 1e-3);
  EXPECT_LE(slower_in_all.ratio->interval.low, 104 / 100.5 + 1e-9) << "the least ratio";
  EXPECT_GE(slower_in_all.ratio->interval.high, 1.045 - 1e-9) << "the largest";
  const report::ReportComparison one_layout_only = with_padded(104, 104);
  EXPECT_EQ(one_layout_only.cells[0].change, Change::inconclusive);
  EXPECT_EQ(one_layout_only.cells[0].remark, "not so in every layout of the code");
  EXPECT_NEAR(one_layout_only.cells[0].layout.value(), 0.04, 1e-3);
  const report::ReportComparison one_side = compare_arms(
      report_of({cell_taking("a", "base", 100), cell_taking("a", "new", 100), cell_taking("a", "base-padded", 100.99)}),
      {.margin = 0.02});
  EXPECT_EQ(one_side.cells[0].layouts.size(), 2U);
  EXPECT_NEAR(one_side.cells[0].layout.value(), 0.0099, 1e-9);
  EXPECT_EQ(one_side.remarks.at(0),
            "padded builds, which differ in the addresses of their code alone, differ by up to 0.99%; intervals span "
            "all layouts");
}

report::Cell with_status(report::Cell cell, CellState state, const std::string& reason) {
  cell.status = {state, reason};
  return cell;
}

struct Difference {
  std::string id;
  Change change;
  std::string remark;
};

void expect_differences(const report::ReportComparison& comparison, const std::vector<Difference>& expected) {
  ASSERT_EQ(comparison.cells.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(comparison.cells[i].id, expected[i].id);
    EXPECT_EQ(comparison.cells[i].change, expected[i].change) << expected[i].id;
    EXPECT_EQ(comparison.cells[i].remark, expected[i].remark) << expected[i].id;
    EXPECT_FALSE(comparison.cells[i].ratio) << expected[i].id;
  }
}

TEST(CompareReports, SaysWhatCameAndWentAndWhyACellHasNoRatio) {
  const report::Cell neither = with_status(cell_taking("n", "new", 1), CellState::wrong, "");
  report::Cell changed = cell_taking("k", "new", 1);
  changed.scenario = "another key";
  const report::Report base = report_of({cell_taking("a", "new", 8), cell_taking("c", "new", 4),
                                         cell_taking("u", "new", 2), neither, cell_taking("k", "new", 1)});
  const report::Report next =
      report_of({cell_taking("z", "new", 16), with_status(cell_taking("c", "new", 1), CellState::wrong, "w0 differs"),
                 with_status(cell_taking("u", "new", 1), CellState::unsupported, "f64"), neither, changed});
  // The new ones, then what went; what is unsupported has not failed.
  expect_differences(compare_reports(base, next, {}),
                     {{"s/z", Change::added, ""},
                      {"s/c", Change::failing, "wrong: w0 differs"},
                      {"s/u", Change::removed, "unsupported: f64"},
                      {"s/k", Change::inconclusive, "the scenario is not the same any more"},
                      {"s/a", Change::removed, ""}});
  EXPECT_EQ(cell_in(compare_reports(next, base, {}), "s/c").change, Change::fixed);
}

TEST(CompareReports, TimesOnOtherDataAreNotCompared) {
  const report::Report base = report_of({cell_taking("a", "new", 100), cell_taking("hand/naive", "new", 200)});
  report::Report next = base;
  next.run.id = "later";
  EXPECT_EQ(compare_ratios(base, next, {}).cells.size(), 1U);
  next.scenarios[0].data_digest = "other data";
  expect_differences(compare_reports(base, next, {}),
                     {{"s/a", Change::inconclusive, "the data are not the same any more"},
                      {"s/hand/naive", Change::inconclusive, "the data are not the same any more"}});
  EXPECT_EQ(compare_ratios(base, next, {}).cells.size(), 0U);
}

TEST(CompareReports, ADirtyControlOfEitherSideLowersEveryVerdict) {
  const report::Report clean = report_of({cell_taking("a", "new", 100)});
  const report::Report dirty =
      report_of({cell_taking("a", "base", 100), cell_taking("a", "control", 104), cell_taking("a", "new", 100)});
  for (const auto& comparison :
       {compare_reports(clean, dirty, {}), compare_reports(dirty, clean, {}), compare_arms(dirty, {})}) {
    EXPECT_EQ(comparison.cells[0].change, Change::inconclusive);
    EXPECT_NE(comparison.cells[0].remark.find("unfit"), std::string::npos) << comparison.cells[0].remark;
    EXPECT_NEAR(comparison.noise_floor, 0.04, 0.002);
  }
}

TEST(CompareReports, OtherBuildsAreComparedAndOtherMachinesOnlyIfForced) {
  report::Report base = report_of({cell_taking("a", "new", 100)});
  report::Report next = base;
  next.environment = R"({"cpu": {"model": "Abacus"}, "kernel": "Linux 6"})";
  const report::ReportComparison refused = compare_reports(base, next, {});
  EXPECT_EQ(refused.not_comparable, "not the same machine: cpu/model: found \"Abacus\", the base has \"Processor\"");
  EXPECT_TRUE(refused.cells.empty());
  const report::ReportComparison forced = compare_reports(base, next, {.force = true});
  EXPECT_EQ(forced.cells.size(), 1U);
  EXPECT_EQ(forced.remarks.at(0), refused.not_comparable);
  base.environment = R"({"cpu": {"model": "A"}, "build": {"compiler": "g++ 12"}})";
  next.environment = R"({"cpu": {"model": "A"}, "build": {"compiler": "g++ 13"}})";
  const report::ReportComparison built = compare_reports(base, next, {});
  EXPECT_EQ(built.remarks.at(0), "not built alike: build/compiler: found \"g++ 13\", the base has \"g++ 12\"");
  EXPECT_EQ(built.cells.size(), 1U);
}

TEST(FirstDifference, IsCutWhereItIsLong) {
  const std::string words(70, 'x');
  const std::string there = first_difference(kMachine, R"({"kernel": "K"})", R"({"kernel": ")" + words + "\"}");
  EXPECT_EQ(there, "kernel: found \"" + words.substr(0, 59) + "..., the base has \"K\"");
  EXPECT_EQ(first_difference(kMachine, R"({"kernel": "K"})", "{}"), "kernel: found null, the base has \"K\"");
  EXPECT_EQ(first_difference(kMachine, R"({"load": 1})", R"({"load": 2})"), "") << "not what times depend on";
}

TEST(CompareReports, ADriftWithinEitherRunIsTheLeastMargin) {
  const report::Report base = report_of({cell_taking("a", "new", 100)});
  EXPECT_TRUE(compare_reports(base, base, {}).paired) << "of a run with itself";
  EXPECT_EQ(compare_reports(base, base, {}).cells.at(0).change, Change::equivalent);
  report::Report next = base;
  next.run.id = "another";
  for (report::Sample& sample : next.cells[0].samples) sample.real_ns *= sample.launch < 20 ? 1 : 1.2;
  analysis::summarise(next);
  for (const auto& comparison : {compare_reports(base, next, {}), compare_reports(next, base, {})}) {
    EXPECT_FALSE(comparison.paired);
    EXPECT_GT(comparison.noise_floor, 0.15);
    EXPECT_NE(comparison.cells.at(0).change, Change::regressed);
    EXPECT_NE(comparison.cells.at(0).change, Change::improved);
  }
}

// Cells of a run whose baseline takes `step_ns`, and others that many times as much.
report::Report report_of_ratios(double step_ns, const std::vector<std::pair<std::string, double>>& ratios,
                                unsigned seed) {
  std::vector<report::Cell> cells = {cell_taking("hand/naive", "new", step_ns, 20, seed)};
  for (const auto& [name, ratio] : ratios) cells.push_back(cell_taking(name, "new", ratio * step_ns, 20, ++seed));
  return report_of(std::move(cells));
}

TEST(CompareRatios, OfUnlikeMachinesAreWhatDiffersBetweenTheirCells) {
  const report::Report base = report_of_ratios(100, {{"a", 0.33}, {"b", 2}, {"c", 1.5}}, 1);
  report::Report next = report_of_ratios(700, {{"a", 0.41}, {"b", 2}, {"c", 1.2}}, 11);
  next.environment = R"({"cpu": {"model": "Other"}, "kernel": "Linux 6"})";
  EXPECT_NE(compare_reports(base, next, {}).not_comparable, "");
  const report::ReportComparison comparison = compare_ratios(base, next, {});
  EXPECT_EQ(comparison.remarks,
            std::vector<std::string>{"ratios to hand/naive, each within a run: not the same machine: "
                                     "cpu/model: found \"Other\", the base has \"Processor\""});
  ASSERT_EQ(comparison.cells.size(), 3U) << "none of the baseline";
  EXPECT_EQ(cell_in(comparison, "s/a").change, Change::regressed);
  EXPECT_NEAR(cell_in(comparison, "s/a").next->value, 0.41, 0.01);
  EXPECT_NEAR(cell_in(comparison, "s/a").ratio->value, 0.41 / 0.33, 0.02);
  EXPECT_EQ(cell_in(comparison, "s/b").change, Change::equivalent);
  EXPECT_EQ(cell_in(comparison, "s/c").change, Change::improved);
  next.run.baseline = "b";
  EXPECT_EQ(compare_ratios(base, next, {}).not_comparable, "found ratios to b, the base has some to hand/naive");
}

TEST(CompareReports, SayWhereAllCellsMovedAlike) {
  const std::vector<std::pair<std::string, double>> ratios = {{"a", 0.5}, {"b", 2}, {"c", 1.5}, {"d", 3}};
  const auto says = [](const report::ReportComparison& comparison) {
    return std::ranges::any_of(
        comparison.remarks, [](const std::string& remark) { return remark.find("moved alike") != std::string::npos; });
  };
  const report::Report base = report_of_ratios(100, ratios, 1);
  const report::ReportComparison slower = compare_reports(base, report_of_ratios(120, ratios, 11), {});
  EXPECT_TRUE(slower.remarks.back().starts_with("all 5 cells moved alike, to about 1.2")) << slower.remarks.back();
  EXPECT_FALSE(says(compare_reports(base, report_of_ratios(101, ratios, 11), {}))) << "within the margin";
  EXPECT_FALSE(says(compare_reports(base, report_of_ratios(120, {{"a", 0.4}, {"b", 2}, {"c", 1.5}, {"d", 3}}, 11), {})))
      << "one is as it was";
}

}  // namespace
}  // namespace gdbench::compare
