// Quantities of cells, and which cells a relation compares.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/questions/claims/judge.h"
#include "tests/unit/questions/claims/judged_report.h"

namespace gdbench::claims {
namespace {

using nlohmann::json;
using report::ClaimJudgement;
using report::ClaimVerdict;
using report::JudgedPoint;
using scenario::Point;
using tests::claim_of;
using tests::judge;
using tests::MadeCell;
using tests::value_of;

json one_scenario() { return {{"axes", {{"scenario", "linreg-3x2"}, {"implementation", {"one/x", "two/x"}}}}}; }

// The points of one/x over two/x.
std::vector<JudgedPoint> points_of(json relation, const tests::MakeCell& make, const json& matrix = one_scenario()) {
  if (!relation.contains("a")) relation["a"] = {{"implementation", "one/x"}};
  if (!relation.contains("b")) relation["b"] = {{"implementation", "two/x"}};
  relation["kind"] = "ratio";
  relation["at_least"] = 2;
  return judge(claim_of(matrix, json::array({relation})), make).relations.at(0).points;
}

bool is_one(const Point& point) { return point.implementation == "one/x"; }

TEST(Quantity, TimeForStepsCountsWhatComesBeforeThemButNoImport) {
  const auto make = [](const Point& point) {
    return MadeCell{.step_ns = is_one(point) ? 1e6 : 2e6,
                    .prepare_seconds = is_one(point) ? 0.1 : 0.01,
                    .import_seconds = is_one(point) ? 5.0 : 1.0};
  };
  const auto points = points_of({{"quantity", "time_for_steps"}, {"steps", {1, 1000}}}, make);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at, (report::Settings{{"steps", "1"}}));
  // Load 1 ms, prepare, the first step three times a steady one.
  EXPECT_NEAR(points[0].ratio->value, (1 + 100 + 3 * 1.0) / (1 + 10 + 3 * 2.0), 1e-6);
  EXPECT_NEAR(points[1].ratio->value, (1 + 100 + 3 * 1.0 + 999 * 1.0) / (1 + 10 + 3 * 2.0 + 999 * 2.0), 1e-6);
  EXPECT_NEAR(points_of({{"quantity", "first_step"}}, make)[0].ratio->value, 0.5, 1e-9);
}

TEST(Quantity, AStepIsTheLeastBlockOfALaunch) {
  const auto make = [](const Point& point) { return MadeCell{.disturbed = is_one(point) ? 3.0 : 1.0}; };
  EXPECT_NEAR(points_of({{"quantity", "step"}}, make)[0].ratio->value, 1, 1e-9);
  const json batches = {{"axes", {{"scenario", "mlp-10-50-1"}, {"batch", {1, 32}}, {"implementation", {"one/x"}}}}};
  const json relation = {{"quantity", "step"}, {"a", {{"batch", 1}}}, {"b", {{"batch", 32}}}};
  const auto disturbed = [](const Point& point) {
    return MadeCell{.spread = 0.5, .disturbed = value_of(point, "batch.rows") == "1" ? 3.0 : 1.0};
  };
  const stats::Estimate ratio = *points_of(relation, disturbed, batches).at(0).ratio;
  EXPECT_NEAR(ratio.value, 1, 1e-9);
  // Launches of one number were not measured side by side: both intervals at 97.5%, by Student's t of 5 degrees of
  // freedom (3.163381, any table), at their worst ends.
  double mean = 0;
  double squares = 0;
  for (int launch = 0; launch < 6; ++launch) mean += std::log(1 + 0.1 * launch) / 6;
  for (int launch = 0; launch < 6; ++launch) squares += std::pow(std::log(1 + 0.1 * launch) - mean, 2);
  EXPECT_NEAR(std::log(ratio.interval.high), 2 * 3.163381 * std::sqrt(squares / 5 / 6), 1e-4);
  EXPECT_NEAR(ratio.interval.low, 1 / ratio.interval.high, 1e-9);
}

TEST(Quantity, MemoryIsOfProcesses) {
  const auto make = [](const Point& point) { return MadeCell{.memory_bytes = is_one(point) ? 4e8 : 1e8}; };
  EXPECT_NEAR(points_of({{"quantity", "peak_memory"}}, make)[0].ratio->value, 4, 1e-9);
  EXPECT_EQ(points_of({{"quantity", "own_memory"}}, make)[0].state, report::PointState::not_run) << "it was not read";
}

TEST(Quantity, StepsToATargetAreCountedAndNeedNoLaunches) {
  const auto make = [](const Point& point) {
    return MadeCell{
        .step_ns = is_one(point) ? 500.0 : 1000.0, .launches = 1, .target_steps = is_one(point) ? 300 : 100};
  };
  const JudgedPoint counted = points_of({{"quantity", "steps_to_target"}}, make)[0];
  EXPECT_EQ(counted.state, report::PointState::holds);
  EXPECT_FALSE(counted.ratio->within_one_process);
  const JudgedPoint timed = points_of({{"quantity", "time_to_target"}}, make)[0];
  EXPECT_EQ(timed.state, report::PointState::undecided) << "one launch times nothing for good";
  // Load and prepare take 2 ms, the first step two more steps.
  EXPECT_NEAR(timed.ratio->value, (2e6 + (300 + 2) * 500) / (2e6 + (100 + 2) * 1000), 1e-9);
}

TEST(Quantity, ATargetThatWasNotReachedIsNoFigure) {
  const auto make = [](const Point& point) { return MadeCell{.target_steps = is_one(point) ? 0 : 100}; };
  const JudgedPoint point = points_of({{"quantity", "time_to_target"}}, make)[0];
  EXPECT_EQ(point.state, report::PointState::not_run);
  EXPECT_NE(point.remark.find("unreached after 500 steps"), std::string::npos) << point.remark;
}

TEST(Pairs, ScenariosThatDifferAreComparedLaunchByLaunch) {
  const json matrix = {
      {"axes", {{"scenario", "mlp-10-50-1"}, {"optimizer", {"adam", "sgd"}}, {"implementation", {"one/x", "two/x"}}}}};
  const json relation = {{"quantity", "step"}, {"a", {{"optimizer", "adam"}}}, {"b", {{"optimizer", "sgd"}}}};
  const auto points = points_of(
      relation,
      [](const Point& point) {
        return MadeCell{.step_ns =
                            (value_of(point, "optimizer") == "adam" ? 3000.0 : 1000.0) * (is_one(point) ? 1 : 7)};
      },
      matrix);
  ASSERT_EQ(points.size(), 2U) << "an optimizer beside the other, by each implementation";
  for (const JudgedPoint& point : points) {
    EXPECT_NEAR(point.ratio->value, 3, 1e-9);
    EXPECT_EQ(point.ratio->launches, 6);
  }
  EXPECT_EQ(points[0].at, (report::Settings{{"implementation", "one/x"}}));
}

TEST(Pairs, OptionsThatACellHasByDefaultAreFound) {
  const json matrix = {
      {"axes", {{"scenario", "linreg-3x2"}, {"implementation", "one/x"}, {"impl.loader", {"auto", "sample"}}}}};
  const Claim claim = claim_of(matrix, {{{"kind", "ratio"},
                                         {"quantity", "step"},
                                         {"a", {{"impl.loader", "sample"}}},
                                         {"b", {{"impl.loader", "auto"}}},
                                         {"at_least", 2}}});
  const Result<std::vector<scenario::KnownScenario>> scenarios =
      scenario::list_scenarios({std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios"});
  const Result<ExpandedClaim> expanded = expand(claim, scenarios.value(), {{.id = "one/x"}});
  ASSERT_TRUE(expanded.ok()) << expanded.error().message;
  report::Report report;
  const std::string key = scenario::read_scenario(expanded->points[0].scenario_file, {}).value().identity();
  for (const std::string loader : {"", "sample"}) {
    report::Cell cell;
    cell.id = "cell" + loader;
    cell.scenario = key;
    cell.implementation = "one/x";
    if (!loader.empty()) cell.options["loader"] = loader;
    if (loader.empty()) cell.default_options = std::map<std::string, std::string>{{"loader", "auto"}};
    report.cells.push_back(cell);
  }
  const auto judged = [&] { return claims::judge(expanded.value(), report).value().relations[0].points[0]; };
  EXPECT_EQ(judged().a + " " + judged().b, "cellsample cell");
  report.cells[0].default_options.reset();
  EXPECT_EQ(judged().b, "") << "a report that does not say so may mean another loader";
  EXPECT_EQ(judged().remark.find("cellsample"), 0U) << "the first reason is given: " << judged().remark;
}

}  // namespace
}  // namespace gdbench::claims
