#include "harness/measure/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "harness/measure/session.h"

namespace gdbench::measure {
namespace {

using protocol::CatalogueEntry;
using protocol::OptionType;
using report::CellState;

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
  made.implementation.tasks = {"train"};
  made.implementation.dtypes = {"f32", "f64"};
  made.implementation.activations = {"identity"};
  made.implementation.losses = {"mse"};
  made.implementation.optimizers = {"sgd"};
  return made;
}

CatalogueEntry entry_with_option(const std::string& id) {
  CatalogueEntry made = entry(id);
  made.implementation.options = {{"tile", OptionType::integer, "8", {}, ""},
                                 {"mode", OptionType::choice, "a", {"a", "b"}, ""}};
  return made;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    request_.arms.resize(1);
    request_.catalogues = {{entry("a/plain"), entry_with_option("b/tiled")}};
    request_.processors = {0, 1};
  }

  Result<Plan> plan(std::vector<scenario::Point> points) {
    request_.points = std::move(points);
    report_ = {};
    return make_plan(std::move(request_), report_);
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> result;
    for (const report::Cell& cell : report_.cells) result.push_back(cell.id);
    return result;
  }

  PlanRequest request_;
  report::Report report_;
};

TEST_F(PlanTest, NamesCellsAndHowToRepeatThem) {
  scenario::Point threaded = point("linreg-3x2", "b/tiled", {{"dtype", "f64"}}, {{"tile", "16"}, {"mode", "b"}});
  threaded.threads = 2;
  const auto made =
      plan({point("linreg-3x2", "a/plain"), point("linreg-3x2", "b/tiled", {}, {{"tile", "8"}}), threaded});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(ids(), (std::vector<std::string>{"linreg-3x2/a/plain", "linreg-3x2/b/tiled",
                                             "linreg-3x2[dtype=f64]/b/tiled?mode=b&tile=16@2"}));
  EXPECT_EQ(report_.cells[1].repeat, "gdbench run --scenario linreg-3x2 --impl b/tiled");
  EXPECT_EQ(report_.cells[2].repeat,
            "gdbench run --scenario linreg-3x2 --impl b/tiled --set dtype=f64 --set impl.mode=b --set impl.tile=16 "
            "--threads 2");
  EXPECT_EQ(report_.scenarios.size(), 2U);
  EXPECT_EQ(report_.scenarios[1].label, "linreg-3x2[dtype=f64]");
  EXPECT_EQ(report_.cells[2].options, (std::map<std::string, std::string>{{"mode", "b"}, {"tile", "16"}}));
  EXPECT_EQ(report_.cells[1].default_options, (std::map<std::string, std::string>{{"mode", "a"}, {"tile", "8"}}));
  EXPECT_FALSE(report_.cells[0].default_options || report_.cells[2].default_options) << "none declared, none left";
}

TEST_F(PlanTest, GroupsCellsByScenario) {
  const auto made =
      plan({point("linreg-3x2", "a/plain"), point("linreg-300x2", "a/plain"), point("linreg-3x2", "b/tiled")});
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->scenarios.size(), 2U);
  ASSERT_EQ(made->scenarios[0]->cells.size(), 2U);
  EXPECT_EQ(made->scenarios[0]->cells[0].entry->implementation.id, "a/plain");
  EXPECT_EQ(made->scenarios[0]->cells[1].entry->implementation.id, "b/tiled");
  EXPECT_EQ(report_.cells[made->scenarios[0]->cells[1].index].id, "linreg-3x2/b/tiled");
  EXPECT_EQ(report_.scenarios[0].rows, 3);
  EXPECT_EQ(report_.scenarios[0].parameters, 2);
}

TEST_F(PlanTest, MergesCellsThatAreTheSame) {
  // a/plain has no option, so its two points are one; a setting that says what holds anyway makes no new scenario.
  const auto made =
      plan({point("linreg-3x2", "a/plain", {}, {{"tile", "4"}}), point("linreg-3x2", "b/tiled", {}, {{"tile", "4"}}),
            point("linreg-3x2", "a/plain", {}, {{"tile", "8"}}), point("linreg-3x2", "b/tiled", {}, {{"tile", "8"}}),
            point("linreg-3x2", "a/plain", {{"dtype", "f32"}})});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(ids(), (std::vector<std::string>{"linreg-3x2/a/plain", "linreg-3x2/b/tiled?tile=4", "linreg-3x2/b/tiled"}));
  EXPECT_EQ(made->scenarios.size(), 1U);
}

TEST_F(PlanTest, ChecksOptions) {
  const auto bad = plan({point("linreg-3x2", "b/tiled", {}, {{"tile", "many"}})});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, ErrorKind::usage);
  EXPECT_EQ(bad.error().message, "impl.tile: found \"many\", expected an integer");
}

TEST_F(PlanTest, RefusesAnOptionThatNobodyDeclares) {
  const auto unknown =
      plan({point("linreg-3x2", "a/plain", {}, {{"tyle", "4"}}), point("linreg-3x2", "b/tiled", {}, {{"tyle", "4"}})});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::usage);
  EXPECT_EQ(unknown.error().message,
            "impl.tyle: found an option that no selected implementation declares, expected one of mode, tile");
}

TEST_F(PlanTest, AWrongScenarioIsTheInputsError) {
  const auto made = plan({point("linreg-3x2", "a/plain", {{"dtype", "f8"}})});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::usage);
}

TEST_F(PlanTest, GivesStatusToCellsThatNobodyCanRun) {
  CatalogueEntry crashed = entry("plugin/crashed");
  crashed.problem = Error{ErrorKind::crashed, "signal 11"};
  CatalogueEntry late = entry("plugin/late");
  late.problem = Error{ErrorKind::timed_out, "no answer"};
  CatalogueEntry refused = entry("plugin/refused");
  refused.problem = unsupported("another version");
  request_.catalogues.front().insert(request_.catalogues.front().end(), {crashed, late, refused});
  scenario::Point threads = point("linreg-3x2", "a/plain");
  threads.threads = 2;
  scenario::Point many = threads;
  many.threads = 9;
  request_.catalogues.front()[1].implementation.max_compute_threads = 0;
  many.implementation = "b/tiled";
  const auto made = plan({point("mlp-10-50-1", "a/plain"), threads, many, point("linreg-3x2", "plugin/crashed"),
                          point("linreg-3x2", "plugin/late"), point("linreg-3x2", "plugin/refused")});
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(report_.cells.size(), 6U);
  const auto expect = [&](std::size_t index, CellState state, const std::string& reason) {
    EXPECT_EQ(report_.cells[index].status.state, state) << report_.cells[index].id;
    EXPECT_EQ(report_.cells[index].status.reason, reason);
  };
  expect(0, CellState::unsupported, "a/plain has no activation relu");
  expect(1, CellState::unsupported, "a/plain has at most 1 compute thread(s)");
  expect(2, CellState::unsupported, "this machine has 2 processor(s) for 9 threads");
  expect(3, CellState::crashed, "signal 11");
  expect(4, CellState::timed_out, "no answer");
  expect(5, CellState::unsupported, "another version");
  for (const auto& planned : made->scenarios) EXPECT_TRUE(planned->cells.empty());
}

TEST_F(PlanTest, PlacesThreadsOnTheLastProcessors) {
  request_.processors = {0, 2, 5, 7};
  request_.catalogues.front()[0].implementation.max_compute_threads = 0;
  scenario::Point two = point("linreg-3x2", "a/plain");
  two.threads = 2;
  const auto made = plan({two});
  ASSERT_TRUE(made.ok());
  const protocol::ThreadSettings& threads = made->scenarios[0]->cells.at(0).threads;
  EXPECT_EQ(threads.compute, 2);
  EXPECT_EQ(threads.compute_cores, (std::vector<int>{7, 5}));
  EXPECT_EQ(threads.helper_cores, (std::vector<int>{0, 2}));
}

TEST_F(PlanTest, KnowsWhatDoesNothingOnPurpose) {
  CatalogueEntry null = entry("null/null");
  null.implementation.capabilities = {"no_arithmetic"};
  request_.catalogues.front().push_back(null);
  request_.catalogues.front().push_back(entry("a/plain+policy"));
  const auto made =
      plan({point("linreg-3x2", "null/null"), point("linreg-3x2", "a/plain+policy"), point("linreg-3x2", "a/plain")});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->scenarios[0]->cells[0].proof, Proof::none);
  EXPECT_EQ(made->scenarios[0]->cells[1].proof, Proof::trajectory);
  EXPECT_FALSE(report_.cells[0].ranked);
  EXPECT_FALSE(report_.cells[1].ranked);
  EXPECT_TRUE(report_.cells[2].ranked);
}

TEST_F(PlanTest, AnOrderOfItsOwnIsProvenByItsLossAndNotRanked) {
  CatalogueEntry own = entry("a/own");
  own.implementation.capabilities = {"shuffle", "own_order"};
  request_.catalogues.front().push_back(own);
  scenario::Point whole = point("linreg-300x2", "a/own");
  scenario::Point shuffled = whole;
  shuffled.scenario_settings = {{"batch", "32"}, {"batch.shuffle", "true"}};
  const auto made = plan({whole, shuffled});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->scenarios[0]->cells.at(0).proof, Proof::trajectory);
  EXPECT_EQ(made->scenarios[1]->cells.at(0).proof, Proof::loss);
  EXPECT_TRUE(report_.cells[0].ranked);
  EXPECT_FALSE(report_.cells[1].ranked);
}

TEST_F(PlanTest, WhatIsUnavailableIsNotStarted) {
  request_.catalogues.front()[0].implementation.unavailable = "not installed: get it";
  const auto made = plan({point("linreg-3x2", request_.catalogues.front()[0].implementation.id)});
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->scenarios[0]->cells.empty());
  EXPECT_EQ(report_.cells.at(0).status.state, report::CellState::unsupported);
  EXPECT_EQ(report_.cells.at(0).status.reason, "not installed: get it");
}

TEST_F(PlanTest, LetsDataGoBeyondTheCapAndMakesItAgain) {
  request_.data_cap_bytes = 1;
  const auto made = plan({point("linreg-3x2", "a/plain"), point("linreg-300x2", "a/plain")});
  ASSERT_TRUE(made.ok());
  for (const auto& planned : made->scenarios) {
    EXPECT_FALSE(planned->dataset.has_value());
    EXPECT_GT(planned->data_bytes, 0U);
  }
  PlannedScenario& planned = *made->scenarios[1];
  ASSERT_TRUE(planned.acquire().ok());
  ASSERT_TRUE(planned.dataset.has_value());
  EXPECT_EQ(planned.dataset->digest, report_.scenarios[1].data_digest);
  EXPECT_EQ(planned.dataset->memory.size(), planned.data_bytes);
  planned.release();
  EXPECT_FALSE(planned.dataset.has_value());
}

TEST_F(PlanTest, KeepsDataBelowTheCap) {
  const auto made = plan({point("linreg-3x2", "a/plain"), point("linreg-300x2", "a/plain")});
  ASSERT_TRUE(made.ok());
  for (const auto& planned : made->scenarios) EXPECT_TRUE(planned->dataset.has_value());
}

TEST_F(PlanTest, HoldsNoMoreDataThanAProcessHasDescriptorsFor) {
  std::vector<scenario::Point> points(kMostDatasets + 2, point("linreg-3x2", "a/plain"));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].scenario_settings = {{"initial_seed", std::to_string(i + 1)}};
  }
  const auto made = plan(points);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->scenarios.size(), points.size());
  const auto is_held = [](const auto& planned) { return planned->dataset.has_value(); };
  EXPECT_EQ(std::ranges::count_if(made->scenarios, is_held), kMostDatasets);
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
  const auto made = plan(points);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(joins(made.value()), (std::vector<bool>{false, true, true, false, false}));
  ASSERT_TRUE(report_.scenarios[2].side_by_side);
  EXPECT_EQ(report_.scenarios[2].side_by_side->first, report_.scenarios[0].key);
  EXPECT_EQ(report_.scenarios[2].side_by_side->values, (std::map<std::string, std::string>{{"learning_rate", "0.03"}}));
  EXPECT_EQ(report_.scenarios[0].side_by_side->first, report_.scenarios[0].key);
  EXPECT_FALSE(report_.scenarios[3].side_by_side || report_.scenarios[4].side_by_side);
  const auto& scenarios = made->scenarios;
  EXPECT_EQ(scenarios[0]->cells[1].variants, scenarios[2]->cells[1].variants);
  EXPECT_NE(scenarios[0]->cells[0].variants, scenarios[0]->cells[1].variants);
  EXPECT_NE(scenarios[0]->cells[1].unit, scenarios[2]->cells[1].unit);
  EXPECT_NE(scenarios[3]->cells[0].variants, scenarios[4]->cells[0].variants);
  EXPECT_TRUE(report_.notes.empty());
}

TEST_F(PlanTest, AGroupsDataFitTogether) {
  const PlanRequest request = request_;
  const auto all = plan(points_of_values("data.seed", {"1", "2", "3"}));
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(joins(all.value()), (std::vector<bool>{false, true, true}));
  request_ = request;
  request_.data_cap_bytes = 2 * all->scenarios.front()->data_bytes;
  const auto made = plan(points_of_values("data.seed", {"1", "2", "3"}));
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(joins(made.value()), (std::vector<bool>{false, true, false}));
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
  const auto made = plan(points);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(joins(made.value()), (std::vector<bool>{false, true, true, false}));
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
