// What is compared launch by launch: controls with their twins, scenarios with those of another value, cells of several
// threads or ranks with that of one.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "harness/analysis/scaling.h"
#include "harness/analysis/summarise.h"
#include "harness/analysis/values.h"
#include "harness/analysis/verdicts.h"
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

using Values = std::map<std::string, std::string>;

const std::vector<double> kFirst = {100, 100, 200, 200, 100, 100};
const std::vector<double> kOther = {150, 160, 320, 310, 170, 150};  // 1.5, 1.6, 1.6, 1.55, 1.7, 1.5 of it

// Scenarios of one launch group, and cells with one block per launch.
class ValuesTest : public testing::Test {
 protected:
  report::ScenarioRecord& add_scenario(const std::string& key, const Values& values) {
    report::ScenarioRecord& scenario = report_.scenarios.emplace_back();
    scenario.key = key;
    scenario.operations_per_step = 1000;
    scenario.side_by_side = {report_.scenarios.front().key, values};
    return scenario;
  }

  report::Cell& add_cell(const std::string& scenario, const std::vector<double>& steps_ns) {
    report::Cell& cell = report_.cells.emplace_back(measured_cell(scenario, "one/x", steps_ns));
    cell.id = scenario + "/" + std::to_string(report_.cells.size());
    return cell;
  }

  // A cell of each.
  void add_optimizers() {
    add_scenario("sgd", {{"optimizer", "sgd"}});
    add_scenario("adam", {{"optimizer", "adam"}});
    add_cell("sgd", kFirst);
    add_cell("adam", kOther);
  }

  // "cell over first by key" of each.
  std::vector<std::string> found() {
    summarise(report_);
    std::vector<std::string> found;
    for (const report::ValueComparison& one : report_.values.value_or(std::vector<report::ValueComparison>())) {
      found.push_back(one.cell + " over " + one.first + " by " + one.key);
    }
    return found;
  }

  report::Report report_;
};

TEST_F(ValuesTest, ArePairedLaunchByLaunch) {
  add_optimizers();
  report_.scenarios[1].operations_per_step = 3000;
  ASSERT_EQ(found(), std::vector<std::string>{"adam/2 over sgd/1 by optimizer"});
  const report::ValueComparison& values = report_.values->front();
  EXPECT_NEAR(values.comparison.ratio.value, std::sqrt(1.55 * 1.6), 1e-12);
  EXPECT_NEAR(values.comparison.ratio.interval.low, 1.5, 1e-12);
  EXPECT_NEAR(values.comparison.ratio.interval.high, 1.7, 1e-12);
  EXPECT_EQ(values.comparison.ratio.launches, 6);
  EXPECT_EQ(values.comparison.verdict, stats::Verdict::slower);
  EXPECT_EQ(values.operations_ratio, 3);
  report_.scenarios[1].operations_per_step = 1000;
  EXPECT_EQ(found().size(), 1U);
  EXPECT_FALSE(report_.values->front().operations_ratio) << "the same work";
}

TEST_F(ValuesTest, DifferInOneKeyFromItsFirstValue) {
  for (const char* batch : {"16", "64"}) {
    for (const char* dtype : {"f32", "f64"}) {
      add_scenario(std::string(batch) + dtype, {{"batch", batch}, {"dtype", dtype}});
      add_cell(std::string(batch) + dtype, kFirst);
    }
  }
  EXPECT_EQ(found(), (std::vector<std::string>{"16f64/2 over 16f32/1 by dtype", "64f32/3 over 16f32/1 by batch",
                                               "64f64/4 over 16f64/2 by batch", "64f64/4 over 64f32/3 by dtype"}));
}

TEST_F(ValuesTest, OnlyTheSameCellOfTheSameLaunchesIsBeside) {
  for (const auto& change : std::vector<std::function<void(report::Cell&, report::ScenarioRecord&)>>{
           [](report::Cell&cell, auto&) { cell.implementation = "other/x"; },
           [](report::Cell&cell, auto&) { cell.arm = "base"; },
           [](report::Cell&cell, auto&) { cell.options["fast"] = "true"; },
           [](report::Cell&cell, auto&) { cell.threads = 2; },
           [](report::Cell&cell, auto&) { cell.status.state = report::CellState::wrong; },
           [](report::Cell&cell, auto&) { cell.samples = {{.launch = 7, .round = 1, .steps = 10, .real_ns = 9}}; },
           [](report::Cell&, report::ScenarioRecord&scenario) { scenario.side_by_side->first = "adam"; },
           [](report::Cell&, report::ScenarioRecord&scenario) { scenario.side_by_side.reset(); }}) {
    report_ = {};
    add_optimizers();
    change(report_.cells[1], report_.scenarios[1]);
    EXPECT_EQ(found(), std::vector<std::string>{});
    EXPECT_FALSE(report_.values) << "absent, not empty";
  }
}

TEST_F(ValuesTest, ThePlaceOfEpsilonBelongsToTheOptimizer) {
  add_optimizers();
  report_.cells[1].options["epsilon_place"] = "inside";
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(ValuesTest, AreJudgedByTheStricterRulesOfBothScenarios) {
  add_optimizers();
  add_cell("sgd", kOther).arm = report::kControlArm;
  EXPECT_EQ(found(), std::vector<std::string>{"adam/2 over sgd/1 by optimizer"}) << "the control is none";
  EXPECT_EQ(report_.values->front().comparison.verdict, stats::Verdict::inconclusive);
  EXPECT_NE(report_.values->front().comparison.remark.find("unfit"), std::string::npos);
}

TEST_F(ValuesTest, AreSideBySideWhereTheScenariosWereLaunchedTogether) {
  add_optimizers();
  add_scenario("apart", {}).side_by_side.reset();
  const auto side_by_side = [&](const std::string& base, const std::string& candidate) {
    report::Cell cells[2];
    cells[0].scenario = base;
    cells[1].scenario = candidate;
    return Comparer(report_).are_side_by_side(cells[0], cells[1]);
  };
  EXPECT_TRUE(side_by_side("sgd", "adam"));
  EXPECT_TRUE(side_by_side("apart", "apart"));
  EXPECT_FALSE(side_by_side("sgd", "apart"));
  EXPECT_FALSE(side_by_side("sgd", "absent"));
}

report::Cell with_threads(const std::string& scenario, int threads, const std::vector<double>& steps_ns) {
  report::Cell cell = measured_cell(scenario, "one/x", steps_ns, threads);
  cell.id += "@" + std::to_string(threads);
  return cell;
}

report::Report report_of(const std::vector<report::Cell>& cells) {
  report::Report report;
  report.run.baseline = "one/x";
  for (const char* key : {"large", "small"}) report.scenarios.emplace_back().key = key;
  report.cells = cells;
  summarise(report);
  return report;
}

const std::vector<double> kSingle = {100, 100, 200, 200, 100, 100};
const std::vector<double> kDouble = {60, 50, 110, 100, 55, 52};  // 0.6, 0.5, 0.55, 0.5, 0.55, 0.52 of it

TEST(ThreadScaling, IsPairedLaunchByLaunch) {
  const report::Report report = report_of({with_threads("large", 1, kSingle), with_threads("large", 2, kDouble)});
  ASSERT_TRUE(report.scaling);
  ASSERT_EQ(report.scaling->size(), 1U);
  const report::ThreadScaling& scaling = report.scaling->front();
  EXPECT_EQ(scaling.cell, "large/one/x@2");
  EXPECT_EQ(scaling.single, "large/one/x@1");
  const double median = std::sqrt(0.52 * 0.55);
  EXPECT_NEAR(scaling.speed_up.value, 1 / median, 1e-12);
  EXPECT_NEAR(scaling.speed_up.interval.low, 1 / 0.6, 1e-12);
  EXPECT_NEAR(scaling.speed_up.interval.high, 1 / 0.5, 1e-12);
  EXPECT_EQ(scaling.speed_up.launches, 6);
  EXPECT_NEAR(scaling.efficiency.value, 0.5 / median, 1e-12);
  EXPECT_EQ(scaling.verdict, stats::Verdict::faster);
  // 10, 0, 10, 0, 5 and 2 beyond a half.
  EXPECT_NEAR(scaling.undivided_ns.value, 3.5, 1e-12);
  EXPECT_NEAR(scaling.undivided_ns.interval.low, 0, 1e-12);
  EXPECT_NEAR(scaling.undivided_ns.interval.high, 10, 1e-12);
  EXPECT_TRUE(scaling.smallest) << "of one scenario";
}

TEST(ThreadScaling, TheShortestSingleBoundsWhatEachNumberOfThreadsCosts) {
  const std::vector<double> small(6, 12);
  const report::Report report = report_of({with_threads("large", 1, kSingle), with_threads("large", 2, kDouble),
                                           with_threads("large", 4, kDouble), with_threads("small", 1, small),
                                           with_threads("small", 2, std::vector<double>(6, 20))});
  ASSERT_EQ(report.scaling->size(), 3U);
  const std::vector<report::ThreadScaling>& rows = *report.scaling;
  EXPECT_FALSE(rows[0].smallest);
  EXPECT_TRUE(rows[1].smallest) << "the only one of four threads";
  EXPECT_NEAR(rows[1].efficiency.value, rows[0].efficiency.value / 2, 1e-12);
  EXPECT_TRUE(rows[2].smallest);
  EXPECT_NEAR(rows[2].undivided_ns.value, 14, 1e-12);
  EXPECT_EQ(rows[2].verdict, stats::Verdict::slower);
}

TEST(ThreadScaling, OnlyTheSameCellWithOneThreadIsItsSingle) {
  for (const auto& change : std::vector<void (*)(report::Cell&)>{
           [](report::Cell& cell) { cell.implementation = "other/x"; },
           [](report::Cell& cell) { cell.scenario = "small"; }, [](report::Cell& cell) { cell.arm = "base"; },
           [](report::Cell& cell) { cell.options["fast"] = "true"; }, [](report::Cell& cell) { cell.threads = 3; },
           [](report::Cell& cell) { cell.status.state = report::CellState::untrusted; },
           // On two processors.
           [](report::Cell& cell) { cell.samples.front().cpu_ns *= 2; }}) {
    report::Cell single = with_threads("large", 1, {100});
    change(single);
    EXPECT_FALSE(report_of({single, with_threads("large", 2, {50})}).scaling);
  }
  EXPECT_TRUE(report_of({with_threads("large", 1, {100}), with_threads("large", 2, {50})}).scaling);
  report::Cell control = with_threads("large", 1, {100});
  control.arm = report::kControlArm;
  report::Cell other = with_threads("large", 2, {50});
  other.arm = report::kControlArm;
  EXPECT_FALSE(report_of({control, other}).scaling) << "a control is another cell again";
}

TEST(ThreadScaling, RanksScaleAsThreadsDo) {
  const auto with_ranks = [](int ranks, int threads, const std::vector<double>& steps_ns) {
    report::Cell cell = with_threads("large", threads, steps_ns);
    cell.implementation = "one/x+mpi";
    cell.id = "large/one/x+mpi?ranks=" + std::to_string(ranks) + "@" + std::to_string(threads);
    cell.ranked = false;
    cell.ranks = ranks;
    cell.options["ranks"] = std::to_string(ranks);
    for (report::Sample& sample : cell.samples) sample.cpu_ns = sample.real_ns * ranks * threads;
    return cell;
  };
  const report::Report report =
      report_of({with_ranks(1, 1, kSingle), with_ranks(2, 1, kDouble), with_ranks(2, 2, {25, 25, 50, 50, 25, 25})});
  ASSERT_TRUE(report.scaling);
  ASSERT_EQ(report.scaling->size(), 2U);
  for (const report::ThreadScaling& scaling : *report.scaling) EXPECT_EQ(scaling.single, "large/one/x+mpi?ranks=1@1");
  EXPECT_NEAR(report.scaling->front().efficiency.value, 0.5 / std::sqrt(0.52 * 0.55), 1e-12);
  EXPECT_NEAR(report.scaling->back().speed_up.value, 4, 1e-12);
  EXPECT_NEAR(report.scaling->back().efficiency.value, 1, 1e-12);
}

}  // namespace
}  // namespace gdbench::analysis
