#include "harness/worker/outside_clock.h"

#include <time.h>

#include "harness/base/clock.h"

namespace gdbench::worker {

namespace {

double cpu_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

OutsideClock::Readings OutsideClock::read() {
  return {cpu_ns(CLOCK_THREAD_CPUTIME_ID), cpu_ns(CLOCK_PROCESS_CPUTIME_ID), static_cast<double>(monotonic_ns())};
}

void OutsideClock::count_other_threads() {
  const double now = read().other_threads_cpu_ns();
  total_.cpu_ns += now - other_threads_cpu_ns_;
  other_threads_cpu_ns_ = now;
}

}  // namespace gdbench::worker
