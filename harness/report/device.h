// What a device says of itself while it is measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gdbench::report {

// At one moment; what the device does not tell is absent.
struct DeviceState {
  std::string name;                   // "NVIDIA H200"
  std::optional<double> clock_mhz{};  // of its processors
  std::optional<double> memory_clock_mhz{};
  std::optional<double> power_watts{};
  std::optional<double> temperature_celsius{};
  std::vector<std::string> throttled_by{};  // "power cap", "temperature" ...: why the clock is lower than it could be
};

// Right behind the first and the last block of a launch, while the clock is still that of the work.
struct DeviceStates {
  DeviceState first;
  DeviceState last;
};

}  // namespace gdbench::report
