// One launch after the other over workers that follow a script: order, rounds, and what a calibration adds.
#include "harness/measure/cell_group.h"

#include <set>
#include <utility>

#include "harness/measure/session.h"
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
  const auto visits = visits_of(group->report().cells);
  EXPECT_EQ(visits.size(), 10U) << "two launches of five rounds";
  std::set<std::string> first_visited;
  for (const auto& [place, order] : visits) {
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 2U) << "the cells of both scenarios";
    first_visited.insert(order.front());
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

// Cells that compute on a device: longer blocks, two clocks, and what the device says of itself.

class DeviceCellTest : public FakeRun {
 protected:
  // Its worker's clock of the device shows that share of each block.
  void add_on_device(const std::string& id, double share) {
    add(id).device_share = share;
    catalogue_.back().implementation.capabilities = {"device"};
  }
};

TEST_F(DeviceCellTest, HasBlocksLongEnoughForADeviceThatWasIdleAndBothClocks) {
  add("a/processor");
  add_on_device("b/device", 0.99);
  add_on_device("c/short", 0.5);
  plan_and_run();
  EXPECT_EQ(cell(0).block->steps, 20U) << "2 ms";
  EXPECT_EQ(cell(0).block->warm_up_steps, 1U) << "0.1 ms";
  EXPECT_EQ(cell(1).block->steps, 100U) << "10 ms";
  EXPECT_EQ(cell(1).block->warm_up_steps, 100U) << "10 ms";
  expect_status(1, CellState::ok, "");
  for (const report::Sample& sample : cell(0).samples) EXPECT_FALSE(sample.device_ns);
  for (const report::Sample& sample : cell(1).samples) EXPECT_DOUBLE_EQ(*sample.device_ns, 0.99 * sample.real_ns);
  EXPECT_FALSE(cell(1).launches.at(0).device) << "it said nothing of its state";
  EXPECT_FALSE(cell(0).launches.at(0).peak_device_bytes);
  EXPECT_EQ(cell(1).launches.at(0).peak_device_bytes, tests::kDeviceBytes);
  expect_status(2, CellState::untrusted,
                "a block takes 5 ms by the device's clock and 10 ms by the wall clock, 3 blocks in a row");
}

TEST_F(DeviceCellTest, TheDevicesStateIsNotedWithEachLaunchAndOnceThatItIsThrottled) {
  add("a/processor");
  add_on_device("b/device", 1);
  int asked = 0;
  options_.device_state = [&]() -> std::optional<report::DeviceState> {
    report::DeviceState state{.name = "One", .clock_mhz = 1000 + 10 * asked};
    if (asked++ >= 2) state.throttled_by = {"power cap", "temperature"};
    return state;
  };
  options_.launches = 3;
  plan_and_run();
  EXPECT_EQ(asked, 6) << "behind the first and the last block of three launches";
  expect_status(1, CellState::ok, "");
  EXPECT_FALSE(cell(0).launches.at(0).device);
  EXPECT_EQ(cell(1).launches.at(0).device->first.clock_mhz, 1000);
  EXPECT_EQ(cell(1).launches.at(0).device->last.clock_mhz, 1010);
  EXPECT_EQ(cell(1).launches.at(1).device->last.clock_mhz, 1030);
  EXPECT_EQ(report_.notes, std::vector<std::string>{"the device was throttled while linreg-3x2/b/device was measured: "
                                                    "power cap, temperature; first seen in launch 1"});
}

}  // namespace
}  // namespace gdbench::measure
