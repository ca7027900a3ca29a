#include "harness/analysis/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "harness/analysis/summarise.h"
#include "harness/analysis/verdicts.h"
#include "tests/unit/analysis/measured_cell.h"

namespace gdbench::analysis {
namespace {

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

}  // namespace
}  // namespace gdbench::analysis
