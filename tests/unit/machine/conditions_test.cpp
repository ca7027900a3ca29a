#include "harness/machine/conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/base/control_word.h"
#include "harness/machine/device_conditions.h"
#include "harness/machine/device_state.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::machine {
namespace {

using report::Condition, report::Severity, tests::TemporaryFolder, tests::write_text;

Condition find(const std::vector<Condition>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Condition& condition) { return condition.name == name; });
  return found == all.end() ? Condition{"nothing", Severity::unknown, "", "", ""} : *found;
}

TEST(Conditions, WhatCannotBeSeenIsUnknown) {
  const TemporaryFolder folder;
  const std::vector<Condition> all = conditions(folder.path());
  for (const char* name : {"governor", "turbo", "hyper-threads", "load", "stolen time", "swap", "throttling",
                           "randomised addresses", "clock source"}) {
    EXPECT_EQ(find(all, name).severity, Severity::unknown) << name;
  }
}

TEST(Conditions, AreReadFromTheTreeUnderTheRoot) {
  const TemporaryFolder folder;
  const auto cpu = folder.path() / "sys/devices/system/cpu";
  write_text(cpu / "cpu0/cpufreq/scaling_governor", "powersave\n");
  write_text(cpu / "intel_pstate/no_turbo", "0\n");
  write_text(cpu / "smt/active", "1\n");
  write_text(cpu / "cpu0/thermal_throttle/core_throttle_count", "3\n");
  write_text(cpu / "cpu1/thermal_throttle/core_throttle_count", "4\n");
  write_text(folder.path() / "proc/meminfo", "SwapTotal: 4096 kB\nSwapFree: 2048 kB\n");
  write_text(folder.path() / "proc/sys/kernel/randomize_va_space", "2\n");
  write_text(folder.path() / "sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  write_text(folder.path() / "sys/fs/cgroup/cpu.max", "150000 100000\n");
  write_text(folder.path() / "proc/stat", "cpu  10 0 10 900 0 0 0 80 0 0\n");
  const std::vector<Condition> all = conditions(folder.path());
  EXPECT_EQ(find(all, "governor").severity, Severity::warning);
  EXPECT_EQ(find(all, "turbo").found, "on");
  EXPECT_EQ(find(all, "hyper-threads").severity, Severity::notice);
  EXPECT_EQ(find(all, "throttling").found, "7 times since the start");
  EXPECT_EQ(find(all, "swap").found, "2 MiB used");
  EXPECT_EQ(find(all, "clock source").severity, Severity::warning);
  EXPECT_EQ(find(all, "quota").found, "1.50 processors");
  EXPECT_EQ(find(all, "stolen time").found, "0.0% now, 8.0% since the start");
  EXPECT_EQ(find(all, "stolen time").severity, Severity::warning);
  EXPECT_EQ(find(all, "randomised addresses").severity, Severity::fine);
  for (const Condition& condition : all) {
    if (condition.severity != Severity::warning && condition.severity != Severity::notice) continue;
    EXPECT_FALSE(condition.effect.empty() || condition.advice.empty()) << condition.name;
  }
}

TEST(Conditions, AGoodMachineIsFine) {
  const TemporaryFolder folder;
  const auto cpu = folder.path() / "sys/devices/system/cpu";
  write_text(cpu / "cpu0/cpufreq/scaling_governor", "performance\n");
  write_text(cpu / "cpufreq/boost", "0\n");
  write_text(cpu / "smt/active", "0\n");
  write_text(folder.path() / "sys/fs/cgroup/cpu.max", "max 100000\n");
  write_text(folder.path() / "proc/meminfo", "SwapTotal: 4096 kB\nSwapFree: 4096 kB\n");
  const std::vector<Condition> all = conditions(folder.path());
  for (const char* name : {"governor", "turbo", "hyper-threads", "quota", "swap"}) {
    EXPECT_EQ(find(all, name).severity, Severity::fine) << name;
  }
}

TEST(Conditions, DenormalsThatAreSwitchedOffAreSeen) {
  const std::uint32_t word = processor::control_word();
  processor::set_control_word(word | processor::kFlushToZero);
  const Condition off = find(conditions("/nowhere"), "denormals");
  processor::set_control_word(word);
  EXPECT_EQ(off.severity, Severity::warning);
  EXPECT_EQ(find(conditions("/nowhere"), "denormals").severity, Severity::fine);
}

TEST(Conditions, VariablesThatSteerLibrariesAreSeen) {
  setenv("OMP_NUM_THREADS", "8", 1);
  const Condition set = find(conditions("/nowhere"), "library threads");
  unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(set.severity, Severity::notice);
  EXPECT_NE(set.found.find("OMP_NUM_THREADS=8"), std::string::npos);
}

TEST(Conditions, AThrottledProcessorIsCounted) {
  const TemporaryFolder folder;
  write_text(folder.path() / "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "1\n");
  EXPECT_EQ(find(conditions(folder.path()), "throttling").found, "1 time since the start");
}

TEST(Conditions, MeasuredOnesSayWhatTheyFound) {
  const std::vector<Condition> all = measured_conditions(0);
  ASSERT_EQ(all.size(), 4U);
  for (const Condition& condition : all) EXPECT_FALSE(condition.found.empty()) << condition.name;
}

TEST(DeviceConditions, ADeviceForOneProcessIsNoneForAllWorkers) {
  EXPECT_EQ(compute_mode("Default\nDefault\n").severity, Severity::fine);
  const report::Condition exclusive = compute_mode("Default\nExclusive_Process\n");
  EXPECT_EQ(exclusive.severity, Severity::warning);
  EXPECT_EQ(exclusive.found, "Exclusive_Process");
  EXPECT_EQ(compute_mode("Prohibited\n").severity, Severity::warning);
}

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
  EXPECT_EQ(state_of("1")->throttled_by, (Reasons{"power cap", "temperature"})) << "each once";
  EXPECT_FALSE(DeviceMonitor("libgdbench-no-such-library.so.1").state());
  EXPECT_FALSE(DeviceMonitor("libm.so.6").state()) << "a library that is another one";
}

TEST(DeviceState, IsOfTheDeviceThatProgramsSeeFirst) {
  EXPECT_EQ(state_of("1,0")->name, "Example Device 1");
  EXPECT_EQ(state_of("GPU-one,0")->name, "Example Device 1");
  EXPECT_EQ(state_of("")->name, "Example Device 0");
  EXPECT_FALSE(state_of("7"));
  EXPECT_FALSE(state_of("GPU-two"));
}

}  // namespace
}  // namespace gdbench::machine
