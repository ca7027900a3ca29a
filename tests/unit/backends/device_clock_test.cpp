// The clock of a device, through the functions that strategies read it by.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/implementations/backend_fixture.h"

namespace gdbench::backends {
namespace {

class DeviceClockTest : public testing::TestWithParam<std::string> {
 protected:
  const DeviceFunctions& device() const { return backend_.device; }
  void wait() { EXPECT_EQ(backend_.synchronise(context_, nullptr), GDBENCH_OK); }
  void begin() { EXPECT_EQ(device().begin_marks(context_), GDBENCH_OK); }
  void mark() { EXPECT_EQ(device().mark(context_), GDBENCH_OK); }
  // Returns whether the device was held back.
  bool end(std::vector<double>& nanoseconds) {
    bool held = false;
    EXPECT_EQ(device().end_marks(context_, nanoseconds.data(), nanoseconds.size(), &held), GDBENCH_OK);
    return held;
  }

  const Backend& backend_ = backend_named(GetParam());
  TestContext device_{backend_, catalogue::Dtype::f32};
  Context* const context_ = device_.get();
};

TEST_P(DeviceClockTest, ASpanThatWasNotBegunIsRefused) {
  double span_ns = 0;
  EXPECT_NE(device().span_ns(context_, &span_ns), GDBENCH_OK);
}

TEST_P(DeviceClockTest, NothingBetweenTwoMarksTakesNothing) {
  std::vector<double> nanoseconds(3, -1);
  begin();
  for (std::size_t i = 0; i < nanoseconds.size(); ++i) mark();
  EXPECT_TRUE(end(nanoseconds));
  for (const double time : nanoseconds) {
    EXPECT_GE(time, 0);
    EXPECT_LT(time, 1e6) << "what holds the device back is in no interval";
  }
}

TEST_P(DeviceClockTest, WhoHasNotMarkedEveryCallIsRefused) {
  std::vector<double> nanoseconds(2);
  bool held = false;
  begin();
  mark();
  EXPECT_NE(device().end_marks(context_, nanoseconds.data(), nanoseconds.size(), &held), GDBENCH_OK);
}

// A host that waits between marks has let the device go: the clock says so, and then holds the device back for longer.
TEST_P(DeviceClockTest, AHostThatIsLateIsFoundOut) {
  std::vector<double> nanoseconds(1);
  const auto held_back_ns = [&] {
    begin();
    const auto start = std::chrono::steady_clock::now();
    wait();
    const std::chrono::duration<double, std::nano> waited = std::chrono::steady_clock::now() - start;
    mark();
    EXPECT_FALSE(end(nanoseconds));
    return waited.count();
  };
  EXPECT_GE(held_back_ns(), 100'000);
  EXPECT_GE(held_back_ns(), 300'000);
  begin();
  mark();
  EXPECT_TRUE(end(nanoseconds)) << "on time again";
}

std::vector<std::string> devices_with_clocks() {
  std::vector<std::string> names;
  for (const BackendCase& backend : all_cases()) {
    if (is_device(backend.backend) && backend.dtype == catalogue::Dtype::f32) names.push_back(backend.backend);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceClockTest, testing::ValuesIn(devices_with_clocks()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace gdbench::backends
