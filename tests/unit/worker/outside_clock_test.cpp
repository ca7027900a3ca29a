#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "harness/worker/block_timer.h"

namespace gdbench::worker {
namespace {

constexpr double kWorkNs = 8e6;
// What the processor does between two readings: the process's clock and the thread's are read one after the other.
constexpr double kBetweenReadingsNs = 5e4;

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
  // What is counted twice is so every time; what the kernel books late, on a busy machine, is not.
  double least_ns = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 5; ++attempt) {
    OutsideClock clock;
    const double before_ns = clock.total().cpu_ns;
    clock.count(work);
    EXPECT_GE(clock.total().cpu_ns - before_ns, kWorkNs - kBetweenReadingsNs);
    EXPECT_GE(clock.total().real_ns, kWorkNs);
    work_in_a_thread();  // between two calls
    // The kernel books the last time slice of a thread that has just ended a little later.
    for (int wait = 0; wait < 1000 && clock.total().cpu_ns - before_ns < 2 * kWorkNs; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(clock.total().cpu_ns - before_ns, 2 * kWorkNs);
    least_ns = std::min(least_ns, clock.total().cpu_ns - before_ns);
  }
  EXPECT_LT(least_ns, 3 * kWorkNs);
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

// On a processor that it shares with another process the plugin's functions take twice as long, or more.
TEST(OutsideClock, WaitingForAProcessorIsNoTimeOfThePlugin) {
  cpu_set_t allowed;
  cpu_set_t one;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const pid_t rival = fork();
  if (rival == 0) {
    for (;;) work();
  }
  OutsideClock clock;
  const std::int64_t started_ns = monotonic_ns();
  for (int i = 0; i < 8; ++i) clock.count(work);
  const auto passed_ns = static_cast<double>(monotonic_ns() - started_ns);
  kill(rival, SIGKILL);
  waitpid(rival, nullptr, 0);
  sched_setaffinity(0, sizeof allowed, &allowed);
  if (waiting_ns(kOwnScheduling) == 0)
    GTEST_SKIP() << "the kernel does not say how long a thread waits for a processor";
  EXPECT_GE(clock.total().real_ns, 8 * kWorkNs);
  EXPECT_LT(clock.total().real_ns, 0.8 * passed_ns);
}

}  // namespace
}  // namespace gdbench::worker
