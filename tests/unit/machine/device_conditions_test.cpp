#include "harness/machine/device_conditions.h"

#include <gtest/gtest.h>

namespace gdbench::machine {
namespace {

using report::Severity;

TEST(DeviceConditions, ADeviceForOneProcessIsNoneForAllWorkers) {
  EXPECT_EQ(compute_mode("Default\nDefault\n").severity, Severity::fine);
  const report::Condition exclusive = compute_mode("Default\nExclusive_Process\n");
  EXPECT_EQ(exclusive.severity, Severity::warning);
  EXPECT_EQ(exclusive.found, "Exclusive_Process");
  EXPECT_EQ(compute_mode("Prohibited\n").severity, Severity::warning);
}

}  // namespace
}  // namespace gdbench::machine
