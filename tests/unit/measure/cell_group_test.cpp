// One launch after the other over workers that follow a script: order, rounds, and what a calibration adds.
#include "harness/measure/cell_group.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using report::CellState;

class CellGroupTest : public FakeRun {
 protected:
  // Planned and verified.
  std::unique_ptr<CellGroup> group(const std::vector<std::string>& scenarios = {"linreg-3x2"}) {
    make_plan(scenarios);
    auto group = std::make_unique<CellGroup>(std::move(plan_), std::move(report_));
    const Status status = group->verify(options_);
    EXPECT_TRUE(status.ok());
    log_.clear();
    return group;
  }

  void launch(CellGroup& group) {
    const Status status = group.launch(options_);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  std::vector<std::string> logged(const std::string& request) const {
    std::vector<std::string> ids;
    for (const std::string& line : log_) {
      if (line.ends_with(" " + request)) ids.push_back(line.substr(0, line.find(' ')));
    }
    return ids;
  }
};

TEST_F(CellGroupTest, WorkersStandSideBySideAndAreVisitedInRounds) {
  add("a/one");
  add("b/two");
  options_.rounds = 3;
  const auto group = this->group();
  launch(*group);
  const auto second_start = std::find(log_.rbegin(), log_.rend(), "b/two start").base();
  const auto blocks_before = std::count(log_.begin(), second_start, "a/one run");
  EXPECT_EQ(blocks_before, 6) << "its first step, and requests of none; no block is timed before all workers are there";

  const auto& cells = group->report().cells;
  std::set<int> positions;
  for (std::size_t round = 0; round < 4; ++round) {
    EXPECT_EQ(cells[0].samples.at(round).position + cells[1].samples.at(round).position, 1) << "round " << round;
    positions.insert(cells[0].samples[round].position);
  }
  EXPECT_EQ(positions.size(), 2U) << "each goes first in some rounds";
}

TEST_F(CellGroupTest, CellsOfSeveralScenariosStandSideBySideToo) {
  add("a/one");
  options_.rounds = 4;
  const auto group = this->group({"linreg-3x2", "linreg-300x2"});
  launch(*group);
  group->release();
  launch(*group);
  const auto& cells = group->report().cells;
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_NE(cells[0].scenario, cells[1].scenario);
  std::set<int> first_visited;
  ASSERT_EQ(cells[0].samples.size(), 10U);
  ASSERT_EQ(cells[1].samples.size(), 10U);
  for (std::size_t i = 0; i < cells[0].samples.size(); ++i) {
    const report::Sample& one = cells[0].samples[i];
    const report::Sample& other = cells[1].samples[i];
    EXPECT_EQ(std::pair(one.launch, one.round), std::pair(other.launch, other.round));
    EXPECT_EQ(one.position + other.position, 1) << "they are visited in the same round";
    first_visited.insert(one.position);
  }
  EXPECT_EQ(first_visited.size(), 2U) << "each goes first in some rounds";
}

TEST_F(CellGroupTest, StartsFromEitherEndInTurn) {
  add("a/one");
  add("b/two");
  add("c/three");
  const auto group = this->group();
  launch(*group);
  EXPECT_EQ(logged("start"), (std::vector<std::string>{"a/one", "b/two", "c/three"}));
  log_.clear();
  launch(*group);
  EXPECT_EQ(logged("start"), (std::vector<std::string>{"c/three", "b/two", "a/one"}));
}

TEST_F(CellGroupTest, WhereMemoryIsShortWorkersRunAfterEachOther) {
  add("a/one");
  add("b/two");
  const auto group = this->group();
  options_.keep_free_bytes = std::numeric_limits<std::uint64_t>::max();
  launch(*group);
  const auto end_of_first = std::find(log_.begin(), log_.end(), "a/one bye");
  EXPECT_EQ(std::count(log_.begin(), end_of_first, "b/two start"), 0);
  EXPECT_EQ(group->report().cells[1].samples.size(), 3U);
  ASSERT_EQ(group->report().notes.size(), 1U);
  EXPECT_TRUE(group->report().notes.front().starts_with("not all workers of a scenario fit into the memory"));
}

TEST_F(CellGroupTest, GoesOnWithoutACellThatIsLeftOutOrFailed) {
  add("a/one");
  add("b/two");
  add("c/three");
  const auto group = this->group();
  group->leave_out(0);
  on_request_["c/three"] = fail_after(0, "load", Error{ErrorKind::crashed, "exit status 1"});
  launch(*group);
  launch(*group);
  EXPECT_TRUE(group->report().cells[0].samples.empty());
  EXPECT_EQ(group->report().cells[1].launches.size(), 2U);
  ASSERT_NE(group->failed_cell(), nullptr);
  EXPECT_EQ(group->failed_cell()->id, "linreg-3x2/c/three");
  EXPECT_EQ(group->failed_cell()->status.state, CellState::crashed);
  EXPECT_EQ(logged("start"), (std::vector<std::string>{"b/two", "c/three", "b/two"})) << "started once, then dropped";
}

TEST_F(CellGroupTest, AddsWorkToTheBlocksOfOneCell) {
  const tests::FakeWorker& loaded = add("a/one");
  const tests::FakeWorker& plain = add("b/two");
  const auto group = this->group();
  group->add_work(0, 70);
  launch(*group);
  EXPECT_EQ(loaded.max_added_iterations, 70U);
  EXPECT_EQ(plain.max_added_iterations, 0U);
}

TEST_F(CellGroupTest, StartingOverForgetsSamplesNotBlocks) {
  add("a/one");
  const auto group = this->group();
  launch(*group);
  group->confirm_from_here();
  EXPECT_EQ(group->report().cells[0].confirmed_from, 1);
  group->start_over();
  EXPECT_EQ(group->launches(), 0);
  EXPECT_TRUE(group->report().cells[0].samples.empty());
  EXPECT_FALSE(group->report().cells[0].confirmed_from.has_value());
  launch(*group);
  EXPECT_EQ(group->report().cells[0].launches.at(0).launch, 0);
}

}  // namespace
}  // namespace gdbench::measure
