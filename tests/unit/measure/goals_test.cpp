#include "harness/measure/goals.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace gdbench::measure {
namespace {

// A cell per scenario, a.so's, of which all take `launch` seconds to be launched once they are verified.
class GoalsTest : public ::testing::Test {
 protected:
  GoalsTest() {
    entry_.file = "a.so";
    options_.decisive_launches = 3;
    options_.warn = [this](const std::string& text) { warnings_.push_back(text); };
  }

  void add_cells(const std::vector<double>& launches) {
    launches_ = launches;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      PlannedScenario& planned = *plan_.scenarios.emplace_back(std::make_unique<PlannedScenario>());
      planned.problem.layers = {{1, 1, scenario::Activation::identity, true}};
      planned.problem.rows = planned.problem.batch_rows = 1;
      PlannedCell& cell = planned.cells.emplace_back();
      cell.index = cell.unit = i;
      cell.entry = &entry_;
      report_.cells.emplace_back().scenario = std::to_string(i);
    }
  }

  // Of cells that were all verified.
  bool choose(double budget) {
    options_.budget_seconds = budget;
    options_.started = std::chrono::steady_clock::now();
    if (!goals_) {
      time_.emplace(plan_, options_, report_);
      for (std::size_t i = 0; i < launches_.size(); ++i) time_->verified(i, 0, launches_[i]);
      goals_.emplace(options_, report_, *time_);
    }
    return goals_->choose();
  }

  std::vector<std::size_t> launched() const {
    std::vector<std::size_t> cells;
    for (std::size_t i = 0; i < report_.cells.size(); ++i) {
      if (goals_->launches(i)) cells.push_back(i);
    }
    return cells;
  }

  void launch(std::size_t cell) {
    report_.cells[cell].status.state = report::CellState::ok;
    report_.cells[cell].launches.emplace_back();
    time_->launched(std::array{cell}, launches_[cell]);
  }

  using Cells = std::vector<std::size_t>;
  using Words = std::vector<std::string>;
  protocol::CatalogueEntry entry_;
  Plan plan_;
  report::Report report_;
  RunOptions options_;
  std::vector<double> launches_;
  std::optional<TimeNeeded> time_;
  std::optional<Goals> goals_;
  Words warnings_;
};

TEST_F(GoalsTest, TheCheapestAreChosenAndTheOthersSayWhatTheyNeed) {
  add_cells({20, 10, 5});
  options_.goals = {{"dear", {0}}, {"cheap", {1, 2}}};
  EXPECT_TRUE(choose(60)) << "3 x 15 s are enough for the cheap one, 3 x 35 s for both";
  EXPECT_EQ(launched(), (Cells{1, 2}));
  EXPECT_FALSE(goals_->wants(0));
  EXPECT_FALSE(goals_->is_too_much());
  const std::string needs = "dear, after what is cheaper, needs about 120 s: --budget 120s";
  EXPECT_EQ(goals_->reason_without(0), "the budget left no time for it; " + needs);
  EXPECT_FALSE(choose(60)) << "nothing is new";
  choose(120);
  EXPECT_EQ(warnings_, (Words{needs + "; found 1 min", "dear fits after all"})) << "each is said once";
}

TEST_F(GoalsTest, CellsThatSeveralShareArePaidOnceAndThoseThatFailedNever) {
  add_cells({20, 1, 100});
  report_.cells[2].status = {report::CellState::wrong, "off"};
  options_.goals = {{"one", {0}}, {"all", {0, 1, 2}}};
  choose(70);
  EXPECT_EQ(launched(), (Cells{0, 1}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(GoalsTest, WhatIsBesideComesBehindAllOthers) {
  add_cells({20, 1});
  options_.goals = {{"beside", {1}, true}, {"dear", {0}}};
  choose(61);
  EXPECT_EQ(launched(), Cells{0});
  EXPECT_TRUE(warnings_.empty()) << "nobody asked for it";
  EXPECT_TRUE(goals_->reason_without(1).starts_with("the budget left no time for it; beside, after what is cheaper,"));
}

// A question with more points needs more launches than others, and its time is that of all of them.
TEST_F(GoalsTest, AGoalMayNeedMoreLaunches) {
  add_cells({1, 1});
  options_.goals = {{"few", {0}}, {"many", {1}, false, 10}};
  choose(12);
  EXPECT_EQ(launched(), Cells{0});
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_TRUE(warnings_[0].starts_with("many, after what is cheaper, needs about ")) << warnings_[0];
  choose(30);
  EXPECT_EQ(launched(), (Cells{0, 1}));
  for (int i = 0; i < 3; ++i) launch(0);
  choose(30);
  EXPECT_EQ(launched(), Cells{1});
}

TEST_F(GoalsTest, OneIsTriedInAnyCase) {
  add_cells({100});
  options_.goals = {{"dear", {0}}};
  choose(150);
  EXPECT_EQ(launched(), Cells{0});
  EXPECT_TRUE(goals_->is_too_much());
  EXPECT_EQ(warnings_, Words{"dear needs about 6 min: --budget 6m; found 150 s"});
}

TEST_F(GoalsTest, WhatIsDecidedWaitsForTheOthers) {
  add_cells({1, 2});
  options_.goals = {{"first", {0}}, {"second", {1}}};
  choose(100);
  EXPECT_EQ(launched(), (Cells{0, 1}));
  for (int i = 0; i < 3; ++i) launch(0);
  EXPECT_TRUE(choose(100));
  EXPECT_EQ(launched(), Cells{1});
  for (int i = 0; i < 3; ++i) launch(1);
  EXPECT_TRUE(choose(100));
  EXPECT_EQ(launched(), (Cells{0, 1})) << "all go on";
}

}  // namespace
}  // namespace gdbench::measure
