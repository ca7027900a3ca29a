// What a device other than the processor reports of its clocks, its power and its temperature.
#pragma once

#include <optional>
#include <string>

#include "harness/report/device.h"

namespace gdbench::machine {

// NVIDIA's management library, opened where there is one. Of several devices the one that programs see first.
class DeviceMonitor {
 public:
  // A file name, or a name that the system's loader finds.
  explicit DeviceMonitor(const std::string& library);

  // Reads the device's state, in about a millisecond. Nothing without a library or a device.
  std::optional<report::DeviceState> state() const;

 private:
  // As the library declares it; null where it does not have it.
  template <class... Arguments>
  using Function = int (*)(Arguments...);
  using Handle = void*;

  Handle device_ = nullptr;
  Function<Handle, char*, unsigned> name_ = nullptr;
  Function<Handle, int, unsigned*> clock_ = nullptr;
  Function<Handle, unsigned*> power_ = nullptr;
  Function<Handle, int, unsigned*> temperature_ = nullptr;
  Function<Handle, unsigned long long*> reasons_ = nullptr;
};

// Of this machine.
std::optional<report::DeviceState> device_state();

}  // namespace gdbench::machine
