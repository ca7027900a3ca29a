#include "harness/analysis/verdicts.h"

#include <gtest/gtest.h>

#include "harness/analysis/summarise.h"
#include "tests/unit/analysis/measured_cell.h"

namespace gdbench::analysis {
namespace {

report::Cell cell_taking(const std::string& implementation, const std::string& arm, double step_ns, int launches = 8) {
  std::vector<double> steps_ns;
  for (int launch = 0; launch < launches; ++launch) steps_ns.push_back(step_ns * (1 + 0.001 * (launch % 3)));
  report::Cell cell = measured_cell("s", implementation, steps_ns);
  cell.id += "#" + arm;
  cell.arm = arm;
  return cell;
}

report::Report report_with_control(double control_ns, int launches = 8) {
  report::Report report;
  report.run.baseline = "a/base";
  report.scenarios.push_back({});
  report.scenarios[0].key = "s";
  report.cells = {cell_taking("a/base", "new", 100, launches),
                  cell_taking("a/base", report::kControlArm, control_ns, launches),
                  cell_taking("a/other", "new", 102, launches)};
  summarise(report);
  return report;
}

const stats::Comparison& verdict_on_other(const report::Report& report) {
  return report.cells[2].summary->ratio->comparison;
}

TEST(Controls, AreComparedWithTheirTwins) {
  const report::Report report = report_with_control(100.5);
  ASSERT_TRUE(report.controls.has_value());
  ASSERT_EQ(report.controls->size(), 1U);
  const report::Control& control = report.controls->front();
  EXPECT_EQ(control.cell, "s/a/base#control");
  EXPECT_EQ(control.twin, "s/a/base#new");
  EXPECT_NEAR(control.comparison.ratio.value, 1.005, 1e-12);
  EXPECT_EQ(control.comparison.verdict, stats::Verdict::equivalent);
}

TEST(Controls, TheirTwinsHaveTheSameOptionsAndThreads) {
  report::Report report = report_with_control(100.5);
  const auto changed = [](report::Cell cell, const std::string& options, int threads) {
    cell.options = {{"fast", options}};
    cell.threads = threads;
    return cell;
  };
  for (std::size_t i = 0; i < 2; ++i) report.cells[i] = changed(report.cells[i], "true", 2);
  report.cells.insert(report.cells.begin(), {changed(cell_taking("a/base", "one thread", 50), "true", 1),
                                             changed(cell_taking("a/base", "four threads", 50), "true", 4),
                                             changed(cell_taking("a/base", "another option", 50), "false", 2),
                                             changed(cell_taking("a/another", "another", 50), "true", 2),
                                             changed(cell_taking("b/base", "another", 50), "true", 2)});
  summarise(report);
  ASSERT_TRUE(report.controls.has_value());
  EXPECT_EQ(report.controls->front().twin, "s/a/base#new");
  report.cells.erase(report.cells.begin() + 5);
  summarise(report);
  EXPECT_FALSE(report.controls.has_value()) << "nobody else is its twin";
}

stats::VerdictOptions options_of(const report::Report& report, const std::string& scenario) {
  return Comparer(report).options(scenario);
}

TEST(Controls, WithoutOneNothingIsLowered) {
  report::Report report = report_with_control(100);
  report.cells.erase(report.cells.begin() + 1);
  summarise(report);
  EXPECT_FALSE(report.controls.has_value());
  EXPECT_EQ(report.cells[1].summary->ratio->comparison.verdict, stats::Verdict::slower);
  EXPECT_EQ(options_of(report, "s").noise_floor, 0);
}

TEST(Controls, WhatOneIsOffByIsTheLeastMargin) {
  // Off by 3% with an interval that reaches back to 1: not dirty, and 2% are not to be distinguished any more.
  report::Report report = report_with_control(103);
  for (std::size_t i = 0; i < 3; ++i) report.cells[1].samples[i].real_ns = 100;
  summarise(report);
  EXPECT_EQ(report.controls->front().comparison.verdict, stats::Verdict::inconclusive);
  EXPECT_NEAR(options_of(report, "s").noise_floor, 0.03, 0.002);
  EXPECT_EQ(verdict_on_other(report).verdict, stats::Verdict::equivalent);
}

TEST(Controls, TheWorstOfAScenarioDecides) {
  for (const double other_ns : {101.0, 103.0}) {
    report::Report report = report_with_control(104 - (other_ns - 100));
    report.cells.push_back(cell_taking("a/other", report::kControlArm, 1.02 * other_ns));
    summarise(report);
    ASSERT_EQ(report.controls->size(), 2U);
    EXPECT_NEAR(options_of(report, "s").noise_floor, 0.03, 1e-9);
    EXPECT_EQ(options_of(report, "another scenario").noise_floor, 0);
  }
}

TEST(Controls, OneThatIsFasterThanItselfIsAsDirty) {
  const stats::VerdictOptions options = options_of(report_with_control(80), "s");
  EXPECT_NEAR(options.noise_floor, 0.25, 1e-9) << "100 over 80";
  EXPECT_EQ(options.unfit, "the control took 0.8 [0.8, 0.8] times as long as itself: this machine was unfit");
}

TEST(Controls, FewerThanThreeLaunchesOfOneSayNothing) {
  const stats::VerdictOptions options = options_of(report_with_control(150, 2), "s");
  EXPECT_EQ(options.noise_floor, 0);
  EXPECT_EQ(options.unfit, "");
  EXPECT_NEAR(options_of(report_with_control(150, 3), "s").noise_floor, 0.5, 1e-9);
}

TEST(Controls, ADirtyOneLowersEveryVerdictOfItsScenario) {
  EXPECT_EQ(verdict_on_other(report_with_control(100.1)).verdict, stats::Verdict::slower) << "a clean one lowers none";
  report::Report report = report_with_control(100);
  for (std::size_t i = 0; i < 8; ++i) {
    report.cells[0].samples[i].real_ns = 100;
    report.cells[1].samples[i].real_ns = i % 2 == 0 ? 120 : 130;
  }
  summarise(report);
  const std::string unfit = "the control took 1.25 [1.2, 1.3] times as long as itself: this machine was unfit";
  EXPECT_EQ(options_of(report, "s").unfit, unfit);
  EXPECT_EQ(verdict_on_other(report).verdict, stats::Verdict::inconclusive);
  EXPECT_EQ(verdict_on_other(report).remark, unfit);
  EXPECT_TRUE(options_of(report, "another scenario").unfit.empty());
}

}  // namespace
}  // namespace gdbench::analysis
