#include "harness/measure/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/measure/session.h"

namespace gdbench::measure {
namespace {

using protocol::CatalogueEntry, protocol::OptionType, report::CellState;

std::filesystem::path scenario_file(const std::string& name) {
  return std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios" / (name + ".json");
}

scenario::Point point(const std::string& name, const std::string& implementation,
                      std::vector<scenario::Setting> settings = {}, std::map<std::string, std::string> options = {}) {
  return {name, scenario_file(name), std::move(settings), implementation, std::move(options), 1};
}

CatalogueEntry entry(const std::string& id) {
  CatalogueEntry made;
  made.implementation.id = id;
  made.implementation.dtypes = {"f32", "f64"};
  return made;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    request_.arms.resize(1);
    request_.catalogues = {{entry("a/plain")}};
    add("b/tiled").options = {{"tile", OptionType::integer, "8", {}, ""},
                              {"mode", OptionType::choice, "a", {"a", "b"}, ""}};
    request_.processors = {0, 1};
  }

  Result<Plan> try_plan(std::vector<scenario::Point> points) {
    PlanRequest request = request_;
    request.points = std::move(points);
    report_ = {};
    return make_plan(std::move(request), report_);
  }

  Plan plan(std::vector<scenario::Point> points) {
    Result<Plan> made = try_plan(std::move(points));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? std::move(made).value() : Plan();
  }

  // Of an implementation that is added to the others.
  protocol::ImplementationDescription& add(const std::string& id) {
    return request_.catalogues.front().emplace_back(entry(id)).implementation;
  }

  void expect_status(std::size_t index, CellState state, const std::string& reason) const {
    EXPECT_EQ(report_.cells.at(index).status.state, state) << report_.cells[index].id;
    EXPECT_EQ(report_.cells[index].status.reason, reason);
  }

  PlanRequest request_;
  report::Report report_;
};

// a/plain has no option, so that its points are one; a setting that says what holds anyway makes no new scenario.
TEST_F(PlanTest, NamesCellsAndHowToRepeatThemAndMergesThoseThatAreTheSame) {
  using Values = std::map<std::string, std::string>;
  scenario::Point threaded = point("linreg-3x2", "b/tiled", {{"dtype", "f64"}}, {{"tile", "16"}, {"mode", "b"}});
  threaded.threads = 2;
  const Plan made =
      plan({point("linreg-3x2", "a/plain", {}, {{"tile", "4"}}), threaded,
            point("linreg-3x2", "b/tiled", {}, {{"tile", "8"}}), point("linreg-3x2", "a/plain", {}, {{"tile", "8"}}),
            point("linreg-3x2", "a/plain", {{"dtype", "f32"}})});
  std::vector<std::string> ids;
  for (const report::Cell& cell : report_.cells) ids.push_back(cell.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"linreg-3x2/a/plain", "linreg-3x2[dtype=f64]/b/tiled?mode=b&tile=16@2",
                                           "linreg-3x2/b/tiled"}));
  EXPECT_EQ(report_.cells[2].repeat, "gdbench run --scenario linreg-3x2 --impl b/tiled");
  EXPECT_EQ(report_.cells[1].repeat,
            "gdbench run --scenario linreg-3x2 --impl b/tiled --set dtype=f64 --set impl.mode=b --set impl.tile=16 "
            "--threads 2");
  EXPECT_EQ(report_.cells[1].options, (Values{{"mode", "b"}, {"tile", "16"}}));
  EXPECT_EQ(report_.cells[2].default_options, (Values{{"mode", "a"}, {"tile", "8"}}));
  EXPECT_FALSE(report_.cells[0].default_options || report_.cells[1].default_options) << "none declared, none left";
  ASSERT_EQ(report_.scenarios.size(), 2U);
  EXPECT_EQ(report_.scenarios[0].rows, 3);
  EXPECT_EQ(report_.scenarios[0].parameters, 2);
  EXPECT_EQ(report_.scenarios[1].label, "linreg-3x2[dtype=f64]");
  ASSERT_EQ(made.scenarios.size(), 2U);
  const std::vector<PlannedCell>& cells = made.scenarios[0]->cells;
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[1].entry->implementation.id, "b/tiled");
  EXPECT_EQ(cells[1].index, 2U);
}

TEST_F(PlanTest, KnowsWhoComputesOnADevice) {
  add("c/device").capabilities = {"device"};
  add("d/either").options = {{"device", OptionType::choice, "cpu", {"cpu", "cuda"}, ""}};
  const Plan made = plan({point("linreg-3x2", "a/plain"), point("linreg-3x2", "c/device"),
                          point("linreg-3x2", "d/either"), point("linreg-3x2", "d/either", {}, {{"device", "cuda"}})});
  std::vector<bool> found;
  for (const PlannedCell& cell : made.scenarios.at(0)->cells) found.push_back(cell.on_device());
  EXPECT_EQ(found, (std::vector<bool>{false, true, false, true}));
}

TEST_F(PlanTest, RefusesWhatNoImplementationOrScenarioHas) {
  const std::pair<scenario::Point, std::string> cases[] = {
      {point("linreg-3x2", "b/tiled", {}, {{"tile", "many"}}), "impl.tile: found \"many\", expected an integer"},
      {point("linreg-3x2", "b/tiled", {}, {{"tyle", "4"}}),
       "impl.tyle: found an option that no selected implementation declares, expected one of mode, tile"},
      {point("linreg-3x2", "a/plain", {{"dtype", "f8"}}), "dtype"}};
  for (const auto& [wrong, part] : cases) {
    const Result<Plan> made = try_plan({wrong});
    EXPECT_EQ(made.error().kind, ErrorKind::usage);
    EXPECT_NE(made.error().message.find(part), std::string::npos) << made.error().message;
  }
}

TEST_F(PlanTest, GivesStatusToCellsThatNobodyCanRun) {
  const std::vector<std::pair<std::string, Error>> problems = {
      {"plugin/crashed", Error{ErrorKind::crashed, "signal 11"}},
      {"plugin/late", Error{ErrorKind::timed_out, "no answer"}},
      {"plugin/refused", unsupported("another version")}};
  for (const auto& [id, problem] : problems) {
    add(id);
    request_.catalogues.front().back().problem = problem;
  }
  add("plugin/absent").unavailable = "not installed: get it";
  request_.catalogues.front()[1].implementation.max_compute_threads = 0;
  std::vector<scenario::Point> points = {point("mlp-10-50-1", "a/plain")};
  for (const char* id : {"a/plain", "b/tiled", "plugin/crashed", "plugin/late", "plugin/refused", "plugin/absent"}) {
    points.push_back(point("linreg-3x2", id));
  }
  points[1].threads = 2;
  points[2].threads = 9;
  const Plan made = plan(points);
  ASSERT_EQ(report_.cells.size(), 7U);
  expect_status(0, CellState::unsupported, "a/plain has no activation relu");
  expect_status(1, CellState::unsupported, "a/plain has at most 1 compute thread(s)");
  expect_status(2, CellState::unsupported, "this machine has 2 processor(s) for 9 threads");
  expect_status(3, CellState::crashed, "signal 11");
  expect_status(4, CellState::timed_out, "no answer");
  expect_status(5, CellState::unsupported, "another version");
  expect_status(6, CellState::unsupported, "not installed: get it");
  for (const auto& planned : made.scenarios) EXPECT_TRUE(planned->cells.empty());
}

TEST_F(PlanTest, PlacesThreadsOnTheLastProcessors) {
  request_.processors = {0, 2, 5, 7};
  request_.catalogues.front()[0].implementation.max_compute_threads = 0;
  scenario::Point two = point("linreg-3x2", "a/plain");
  two.threads = 2;
  const Plan made = plan({two});
  const protocol::ThreadSettings& threads = made.scenarios[0]->cells.at(0).threads;
  EXPECT_EQ(threads.compute, 2);
  EXPECT_EQ(threads.compute_cores, (std::vector<int>{7, 5}));
  EXPECT_EQ(threads.helper_cores, (std::vector<int>{0, 2}));
}

// An order of its own is proven by its loss, where there is one to have.
TEST_F(PlanTest, KnowsHowCellsAreProvenAndWhichAreRanked) {
  add("null/null").capabilities = {"no_arithmetic"};
  add("a/plain+policy");
  add("a/own").capabilities = {"shuffle", "own_order"};
  const std::vector<scenario::Setting> shuffled = {{"batch", "32"}, {"batch.shuffle", "true"}};
  const Plan made = plan({point("linreg-300x2", "null/null"), point("linreg-300x2", "a/plain+policy"),
                          point("linreg-300x2", "a/plain"), point("linreg-300x2", "a/own"),
                          point("linreg-300x2", "a/own", shuffled)});
  const std::vector<PlannedCell>& cells = made.scenarios.at(0)->cells;
  EXPECT_EQ(cells.at(0).proof, Proof::none);
  for (const std::size_t cell : {1U, 2U, 3U}) EXPECT_EQ(cells.at(cell).proof, Proof::trajectory) << cell;
  EXPECT_EQ(made.scenarios.at(1)->cells.at(0).proof, Proof::loss);
  std::vector<bool> ranked;
  for (const report::Cell& cell : report_.cells) ranked.push_back(cell.ranked);
  EXPECT_EQ(ranked, (std::vector<bool>{false, false, true, true, false}));
}

TEST_F(PlanTest, LetsDataGoBeyondTheCapAndMakesItAgain) {
  const std::vector<scenario::Point> points = {point("linreg-3x2", "a/plain"), point("linreg-300x2", "a/plain")};
  for (const auto& planned : plan(points).scenarios) EXPECT_TRUE(planned->dataset.has_value());
  request_.data_cap_bytes = 1;
  const Plan made = plan(points);
  for (const auto& planned : made.scenarios) {
    EXPECT_FALSE(planned->dataset.has_value());
    EXPECT_GT(planned->data_bytes, 0U);
  }
  PlannedScenario& planned = *made.scenarios[1];
  ASSERT_TRUE(planned.acquire().ok());
  ASSERT_TRUE(planned.dataset.has_value());
  EXPECT_EQ(planned.dataset->digest, report_.scenarios[1].data_digest);
  EXPECT_EQ(planned.dataset->memory.size(), planned.data_bytes);
  planned.release();
  EXPECT_FALSE(planned.dataset.has_value());
}

TEST_F(PlanTest, HoldsNoMoreDataThanAProcessHasDescriptorsFor) {
  std::vector<scenario::Point> points(kMostDatasets + 2, point("linreg-3x2", "a/plain"));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].scenario_settings = {{"initial_seed", std::to_string(i + 1)}};
  }
  const Plan made = plan(points);
  ASSERT_EQ(made.scenarios.size(), points.size());
  const auto is_held = [](const auto& planned) { return planned->dataset.has_value(); };
  EXPECT_EQ(std::ranges::count_if(made.scenarios, is_held), kMostDatasets);
}

// Points of one scenario with two implementations and these values of a key.
std::vector<scenario::Point> points_of_values(const std::string& key, const std::vector<std::string>& values) {
  std::vector<scenario::Point> points;
  for (const std::string& value : values) {
    for (const char* implementation : {"a/plain", "b/tiled"}) {
      points.push_back(point("linreg-300x2", implementation, {{"dtype", "f64"}, {key, value}}));
      points.back().alternatives = {{key, value}};
    }
  }
  return points;
}

std::vector<bool> joins(const Plan& plan) {
  std::vector<bool> joins;
  for (const auto& planned : plan.scenarios) joins.push_back(planned->joins_previous);
  return joins;
}

TEST_F(PlanTest, ScenariosThatDifferInValuesOfSetAreOfOneGroup) {
  std::vector<scenario::Point> points = points_of_values("learning_rate", {"0.01", "0.02", "0.03"});
  points.push_back(point("linreg-3x2", "a/plain"));
  points.push_back(point("linreg-3x2", "a/plain", {{"dtype", "f64"}}));
  const Plan made = plan(points);
  EXPECT_EQ(joins(made), (std::vector<bool>{false, true, true, false, false}));
  ASSERT_TRUE(report_.scenarios[2].side_by_side);
  EXPECT_EQ(report_.scenarios[2].side_by_side->first, report_.scenarios[0].key);
  EXPECT_EQ(report_.scenarios[2].side_by_side->values, (std::map<std::string, std::string>{{"learning_rate", "0.03"}}));
  EXPECT_EQ(report_.scenarios[0].side_by_side->first, report_.scenarios[0].key);
  EXPECT_FALSE(report_.scenarios[3].side_by_side || report_.scenarios[4].side_by_side);
  const auto& scenarios = made.scenarios;
  EXPECT_EQ(scenarios[0]->cells[1].variants, scenarios[2]->cells[1].variants);
  EXPECT_NE(scenarios[0]->cells[0].variants, scenarios[0]->cells[1].variants);
  EXPECT_NE(scenarios[0]->cells[1].unit, scenarios[2]->cells[1].unit);
  EXPECT_NE(scenarios[3]->cells[0].variants, scenarios[4]->cells[0].variants);
  EXPECT_TRUE(report_.notes.empty());
}

TEST_F(PlanTest, AGroupsDataFitTogether) {
  const Plan all = plan(points_of_values("data.seed", {"1", "2", "3"}));
  EXPECT_EQ(joins(all), (std::vector<bool>{false, true, true}));
  request_.data_cap_bytes = 2 * all.scenarios.front()->data_bytes;
  const Plan made = plan(points_of_values("data.seed", {"1", "2", "3"}));
  EXPECT_EQ(joins(made), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(report_.scenarios[2].side_by_side->first, report_.scenarios[2].key);
  ASSERT_EQ(report_.notes.size(), 1U);
  EXPECT_TRUE(report_.notes[0].starts_with("not all values of --set can be side by side")) << report_.notes[0];
}

TEST_F(PlanTest, AGroupHasNoMoreWorkersThanAProcessHasDescriptorsFor) {
  request_.catalogues[0].clear();
  std::vector<scenario::Point> points;
  for (const char* seed : {"1", "2", "3", "4"}) {
    for (std::size_t i = 0; i < kMostWorkers / 3; ++i) {
      const std::string id = "a/plain" + std::to_string(i);
      if (points.size() == i) request_.catalogues[0].push_back(entry(id));
      points.push_back(point("linreg-3x2", id, {{"data.seed", seed}}));
      points.back().alternatives = {{"data.seed", seed}};
    }
  }
  const Plan made = plan(points);
  EXPECT_EQ(joins(made), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(report_.notes.size(), 1U);
}

// `joining`: scenarios that are launched together with the one before them.
std::vector<std::vector<std::size_t>> batch_bytes(const std::vector<std::size_t>& bytes, std::size_t cap,
                                                  const std::set<std::size_t>& joining = {}) {
  Plan plan;
  for (const std::size_t count : bytes) {
    plan.scenarios.push_back(std::make_unique<PlannedScenario>());
    plan.scenarios.back()->data_bytes = count;
    plan.scenarios.back()->joins_previous = joining.contains(plan.scenarios.size() - 1);
  }
  std::vector<std::vector<std::size_t>> result;
  for (const auto& batch : batches(plan, cap)) {
    result.emplace_back();
    for (const PlannedScenario* planned : batch) result.back().push_back(planned->data_bytes);
  }
  return result;
}

TEST(Batches, HoldConsecutiveScenariosThatFit) {
  using Batches = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(batch_bytes({}, 10), Batches{});
  EXPECT_EQ(batch_bytes({3, 4, 3}, 10), (Batches{{3, 4, 3}}));
  EXPECT_EQ(batch_bytes({3, 4, 4, 6, 1}, 10), (Batches{{3, 4}, {4, 6}, {1}}));
  EXPECT_EQ(batch_bytes({50, 1, 50, 50}, 10), (Batches{{50}, {1}, {50}, {50}}));  // one that does not fit stands alone
  EXPECT_EQ(batch_bytes({1, 2}, 0), (Batches{{1}, {2}}));
  EXPECT_EQ(batch_bytes({3, 4, 3, 3, 3}, 10, {2, 3}), (Batches{{3}, {4, 3, 3}, {3}})) << "a group stays together";
  EXPECT_EQ(batch_bytes({3, 8, 8}, 10, {2}), (Batches{{3}, {8}, {8}})) << "where it fits";
  const std::vector<std::size_t> full(kMostDatasets, 0);
  EXPECT_EQ(batch_bytes(std::vector<std::size_t>(2 * kMostDatasets + 1, 0), 10), (Batches{full, full, {0}}));
}

}  // namespace
}  // namespace gdbench::measure
