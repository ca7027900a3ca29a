// Quantities of cells, and which cells a relation compares.
#include <gtest/gtest.h>

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

// Loading takes 1 ms, the first step three times a steady one; imports are left out.
TEST(Quantity, IsThatOfTheCells) {
  const auto make = [](const Point& point) {
    return MadeCell{.step_ns = is_one(point) ? 1e6 : 2e6,
                    .prepare_seconds = is_one(point) ? 0.1 : 0.01,
                    .import_seconds = is_one(point) ? 5.0 : 1.0,
                    .memory_bytes = is_one(point) ? 4e8 : 1e8,
                    .target_steps = is_one(point) ? 300 : 100};
  };
  const std::pair<json, double> cases[] = {
      {{{"quantity", "step"}}, 0.5},
      {{{"quantity", "first_step"}}, 0.5},
      {{{"quantity", "peak_memory"}}, 4},
      {{{"quantity", "steps_to_target"}}, 3},
      {{{"quantity", "time_to_target"}}, (101 + 302 * 1.0) / (11 + 102 * 2.0)},
      {{{"quantity", "time_for_steps"}, {"steps", {1}}}, (101 + 3 * 1.0) / (11 + 3 * 2.0)},
      {{{"quantity", "time_for_steps"}, {"steps", {1000}}}, (101 + 1002 * 1.0) / (11 + 1002 * 2.0)}};
  for (const auto& [relation, ratio] : cases) {
    EXPECT_NEAR(points_of(relation, make).at(0).ratio->value, ratio, 1e-6) << relation;
  }
  EXPECT_EQ(points_of({{"quantity", "own_memory"}}, make)[0].state, report::PointState::not_run) << "it was not read";
  const auto points = points_of({{"quantity", "time_for_steps"}, {"steps", {1, 1000}}}, make);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at, (report::Settings{{"steps", "1"}}));
}

TEST(Quantity, AStepIsTheLeastBlockOfALaunch) {
  const auto make = [](const Point& point) { return MadeCell{.disturbed = is_one(point) ? 3.0 : 1.0}; };
  EXPECT_NEAR(points_of({{"quantity", "step"}}, make)[0].ratio->value, 1, 1e-9);
}

TEST(Quantity, StepsToATargetAreCountedAndNeedNoLaunches) {
  const auto make = [](int steps) {
    return [steps](const Point& point) { return MadeCell{.launches = 1, .target_steps = is_one(point) ? steps : 100}; };
  };
  const JudgedPoint counted = points_of({{"quantity", "steps_to_target"}}, make(300))[0];
  EXPECT_EQ(counted.state, report::PointState::holds);
  EXPECT_FALSE(counted.ratio->within_one_process);
  const JudgedPoint timed = points_of({{"quantity", "time_to_target"}}, make(300))[0];
  EXPECT_EQ(timed.state, report::PointState::undecided) << "one launch times nothing for good";
  const JudgedPoint missed = points_of({{"quantity", "time_to_target"}}, make(0))[0];
  EXPECT_EQ(missed.state, report::PointState::not_run);
  EXPECT_NE(missed.remark.find("unreached after 500 steps"), std::string::npos) << missed.remark;
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
