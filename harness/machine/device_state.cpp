#include "harness/machine/device_state.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace gdbench::machine {

namespace {

// Numbers of the library's interface, which no version of it changes: NVML API Reference Guide.
constexpr int kSuccess = 0;
constexpr int kClockOfProcessors = 1;
constexpr int kClockOfMemory = 2;
constexpr int kTemperatureOfProcessor = 0;

struct Reason {
  unsigned long long bit;
  const char* words;
};
// Those that keep a busy device below the clock that it was allowed.
constexpr Reason kReasons[] = {{0x04, "power cap"},
                               {0x08, "hardware slowdown"},
                               {0x20, "temperature"},
                               {0x40, "temperature"},
                               {0x80, "power brake"}};

// What CUDA_VISIBLE_DEVICES names first: a number, or the name of one device; "0" without it.
std::string first_visible() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string_view all = visible == nullptr ? "" : visible;
  const std::string_view first = all.substr(0, all.find(','));
  return first.empty() ? "0" : std::string(first);
}

bool is_number(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

template <class Pointer>
void find(void* library, const char* name, Pointer& function) {
  function = reinterpret_cast<Pointer>(dlsym(library, name));
}

// What a function of the library gives as its last argument.
template <class Function, class... Arguments>
std::optional<double> ask(Function function, Arguments... arguments) {
  unsigned number = 0;
  if (function == nullptr || function(arguments..., &number) != kSuccess) return std::nullopt;
  return number;
}

}  // namespace

DeviceMonitor::DeviceMonitor(const std::string& library) {
  // Never closed: it lasts as long as the process.
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return;
  Function<> initialise = nullptr;
  Function<unsigned, Handle*> by_index = nullptr;
  Function<const char*, Handle*> by_name = nullptr;
  find(opened, "nvmlInit_v2", initialise);
  find(opened, "nvmlDeviceGetHandleByIndex_v2", by_index);
  find(opened, "nvmlDeviceGetHandleByUUID", by_name);
  if (initialise == nullptr || initialise() != kSuccess) return;
  const std::string which = first_visible();
  Handle device = nullptr;
  int result = -1;
  if (is_number(which)) {
    if (by_index != nullptr) result = by_index(static_cast<unsigned>(std::atoi(which.c_str())), &device);
  } else if (by_name != nullptr) {
    result = by_name(which.c_str(), &device);
  }
  if (result != kSuccess) return;
  device_ = device;
  find(opened, "nvmlDeviceGetName", name_);
  find(opened, "nvmlDeviceGetClockInfo", clock_);
  find(opened, "nvmlDeviceGetPowerUsage", power_);
  find(opened, "nvmlDeviceGetTemperature", temperature_);
  find(opened, "nvmlDeviceGetCurrentClocksEventReasons", reasons_);
  if (reasons_ == nullptr) find(opened, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);  // drivers before 535
}

std::optional<report::DeviceState> DeviceMonitor::state() const {
  if (device_ == nullptr) return std::nullopt;
  report::DeviceState state;
  std::array<char, 96> name{};
  if (name_ != nullptr && name_(device_, name.data(), name.size() - 1) == kSuccess) state.name = name.data();
  state.clock_mhz = ask(clock_, device_, kClockOfProcessors);
  state.memory_clock_mhz = ask(clock_, device_, kClockOfMemory);
  state.power_watts = ask(power_, device_);
  if (state.power_watts) *state.power_watts *= 1e-3;  // the library says milliwatts
  state.temperature_celsius = ask(temperature_, device_, kTemperatureOfProcessor);
  unsigned long long reasons = 0;
  if (reasons_ == nullptr || reasons_(device_, &reasons) != kSuccess) return state;
  for (const Reason& reason : kReasons) {
    const bool said = std::ranges::find(state.throttled_by, reason.words) != state.throttled_by.end();
    if ((reasons & reason.bit) != 0 && !said) state.throttled_by.emplace_back(reason.words);
  }
  return state;
}

std::optional<report::DeviceState> device_state() {
  static const DeviceMonitor monitor("libnvidia-ml.so.1");
  return monitor.state();
}

}  // namespace gdbench::machine
