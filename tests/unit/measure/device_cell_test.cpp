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
