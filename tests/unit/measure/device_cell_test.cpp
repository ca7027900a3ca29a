// Cells that compute on a device: longer blocks, two clocks, and what the device says of itself.
#include "harness/measure/session.h"
#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using report::CellState;

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
  expect_status(2, CellState::untrusted,
                "a block takes 5 ms by the device's clock and 10 ms by the wall clock, 3 blocks in a row");
}

TEST_F(DeviceCellTest, TheDevicesStateIsNotedWithEachLaunch) {
  add("a/processor");
  add_on_device("b/device", 1);
  int asked = 0;
  options_.device_state = [&]() -> std::optional<report::DeviceState> {
    return report::DeviceState{.name = "One", .clock_mhz = 1000 + 10 * asked++};
  };
  plan_and_run();
  EXPECT_EQ(asked, 4) << "behind the first and the last block of two launches";
  EXPECT_FALSE(cell(0).launches.at(0).device);
  EXPECT_EQ(cell(1).launches.at(0).device->first.clock_mhz, 1000);
  EXPECT_EQ(cell(1).launches.at(0).device->last.clock_mhz, 1010);
  EXPECT_EQ(cell(1).launches.at(1).device->last.clock_mhz, 1030);
  EXPECT_TRUE(report_.notes.empty());
}

TEST_F(DeviceCellTest, AThrottledDeviceIsNotedOnce) {
  add_on_device("a/device", 1);
  options_.device_state = [launch = 0]() mutable -> std::optional<report::DeviceState> {
    const bool throttled = launch++ >= 2;
    return report::DeviceState{
        .name = "One",
        .throttled_by = throttled ? std::vector<std::string>{"power cap", "temperature"} : std::vector<std::string>()};
  };
  options_.launches = 3;
  plan_and_run();
  expect_status(0, CellState::ok, "");
  ASSERT_EQ(report_.notes.size(), 1U);
  EXPECT_EQ(report_.notes.front(),
            "the device was throttled while linreg-3x2/a/device was measured: power cap, temperature; first seen in "
            "launch 1");
}

}  // namespace
}  // namespace gdbench::measure
