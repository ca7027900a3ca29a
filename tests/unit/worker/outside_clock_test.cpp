#include "harness/worker/outside_clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace gdbench::worker {
namespace {

constexpr double kWorkNs = 8e6;

// Uses the processor for so long by the thread's own clock, however often it is interrupted.
bool work() {
  const double end_ns = thread_cpu_ns() + kWorkNs;
  while (thread_cpu_ns() < end_ns) {
  }
  return true;
}

bool work_in_a_thread() {
  std::thread(work).join();
  return true;
}

TEST(OutsideClock, CountsThePluginsFunctionsAndOtherThreads) {
  OutsideClock clock;
  clock.count(work);
  EXPECT_GE(clock.total().cpu_ns, kWorkNs);
  EXPECT_GE(clock.total().real_ns, kWorkNs);
  work_in_a_thread();  // between two calls
  EXPECT_GE(clock.total().cpu_ns, 2 * kWorkNs);
  EXPECT_LT(clock.total().cpu_ns, 3 * kWorkNs);
}

TEST(OutsideClock, LeavesOutBlocksAndTheHostsOwnWork) {
  OutsideClock clock;
  const double before_ns = clock.total().cpu_ns;
  clock.leave_out(work);
  clock.leave_out(work_in_a_thread);
  work();
  EXPECT_LT(clock.total().cpu_ns - before_ns, kWorkNs / 2);
  EXPECT_EQ(clock.total().real_ns, 0);
}

}  // namespace
}  // namespace gdbench::worker
