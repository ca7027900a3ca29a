#include "harness/machine/device_state.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gdbench::machine {
namespace {

using Reasons = std::vector<std::string>;

// tests/fakes/fake_nvml.c, seen by programs as CUDA_VISIBLE_DEVICES says.
std::optional<report::DeviceState> state_of(const char* visible) {
  if (visible != nullptr) setenv("CUDA_VISIBLE_DEVICES", visible, 1);
  const DeviceMonitor monitor(GDBENCH_FAKE_NVML);
  unsetenv("CUDA_VISIBLE_DEVICES");
  return monitor.state();
}

TEST(DeviceState, IsWhatTheLibrarySays) {
  const std::optional<report::DeviceState> state = state_of(nullptr);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->name, "Example Device 0");
  EXPECT_EQ(state->clock_mhz, 1980);
  EXPECT_EQ(state->memory_clock_mhz, 2619);
  EXPECT_EQ(state->power_watts, 412.5);
  EXPECT_EQ(state->temperature_celsius, 54);
  EXPECT_EQ(state->throttled_by, Reasons()) << "an idle device is not throttled";
}

TEST(DeviceState, IsOfTheDeviceThatProgramsSeeFirst) {
  EXPECT_EQ(state_of("1,0")->name, "Example Device 1");
  EXPECT_EQ(state_of("GPU-one,0")->name, "Example Device 1");
  EXPECT_EQ(state_of("")->name, "Example Device 0");
  EXPECT_FALSE(state_of("7"));
  EXPECT_FALSE(state_of("GPU-two"));
}

TEST(DeviceState, SaysWhatThrottlesItOnce) {
  EXPECT_EQ(state_of("1")->throttled_by, (Reasons{"power cap", "temperature"}));
}

TEST(DeviceState, IsNothingWithoutALibrary) {
  EXPECT_FALSE(DeviceMonitor("libgdbench-no-such-library.so.1").state());
  // A library that is another one.
  EXPECT_FALSE(DeviceMonitor("libm.so.6").state());
}

}  // namespace
}  // namespace gdbench::machine
