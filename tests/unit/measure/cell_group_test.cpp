// One launch after the other over workers that follow a script: order, rounds, and what a calibration adds.
#include "harness/measure/cell_group.h"

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

TEST_F(CellGroupTest, CellsOfSeveralScenariosAreVisitedInTheSameRounds) {
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
    EXPECT_EQ(one.position + other.position, 1);
    first_visited.insert(one.position);
  }
  EXPECT_EQ(first_visited.size(), 2U) << "each goes first in some rounds";
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

TEST_F(CellGroupTest, StartingOverForgetsSamplesNotBlocksNorTheirWork) {
  const tests::FakeWorker& loaded = add("a/one");
  const tests::FakeWorker& plain = add("b/two");
  const auto group = this->group();
  launch(*group);
  group->confirm_from_here();
  EXPECT_EQ(group->report().cells[0].confirmed_from, 1);
  group->add_work(0, 70);
  group->start_over();
  EXPECT_EQ(group->launches(), 0);
  EXPECT_TRUE(group->report().cells[0].samples.empty());
  EXPECT_FALSE(group->report().cells[0].confirmed_from.has_value());
  launch(*group);
  EXPECT_EQ(group->report().cells[0].launches.at(0).launch, 0);
  EXPECT_EQ(loaded.max_added_iterations, 70U);
  EXPECT_EQ(plain.max_added_iterations, 0U);
}

}  // namespace
}  // namespace gdbench::measure
