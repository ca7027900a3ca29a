// How long a plugin takes: inside the blocks that are timed, and outside of them.
//
// Google Benchmark times one block, one iteration around a function; its CPU time is read separately, because Google
// Benchmark reads that of other threads by the kernel's ticks. Linux books the time of a thread that runs on another
// processor when its clock ticks, milliseconds apart, or when a process reads that thread's own clock. So each is read
// first, which takes a microsecond or two a thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/scheduling.h"
#include "harness/protocol/protocol.h"

namespace gdbench::worker {

// CPU time, in nanoseconds, of the calling thread.
double thread_cpu_ns();

// The CPU time of all other threads of this process, ended ones too.
double other_threads_cpu_ns();

struct BlockTime {
  double real_ns = 0;
  double cpu_ns = 0;  // of all threads of the process
  // CLOCK_MONOTONIC right outside the benchmark, so that the coordinator can check them against its own clock.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// Runs `block` once, inside the clock.
BlockTime time_block(const std::function<void()>& block);

// Work that a calibration adds to a timed block: a known slowdown by the processor, not by arithmetic on times.

// A chain of so many dependent multiply-adds; touches no memory.
void add_work(std::uint64_t iterations);

// What a plugin does outside the blocks that are timed, as its host sees it.
class OutsideClock {
 public:
  // Calls a function of the plugin that is not timed as a block.
  template <class Call>
  auto count(Call&& call) {
    const double waited_before_ns = waiting_ns(kOwnScheduling);
    const std::int64_t started_ns = monotonic_ns();
    const double cpu_ns = thread_cpu_ns();
    auto result = std::forward<Call>(call)();
    const double computed_ns = thread_cpu_ns() - cpu_ns;
    const auto passed_ns = static_cast<double>(monotonic_ns() - started_ns);
    total_.cpu_ns += computed_ns;
    // Reading how long it waited takes microseconds, in which it may wait, too: it took no less than it computed.
    total_.real_ns += std::max(passed_ns - (waiting_ns(kOwnScheduling) - waited_before_ns), computed_ns);
    return result;
  }

  // Calls what is timed as a block: its CPU time, of all threads, is accounted for there.
  template <class Call>
  auto leave_out(Call&& call) {
    count_other_threads();
    auto result = std::forward<Call>(call)();
    other_threads_ns_ = other_threads_cpu_ns();
    return result;
  }

  protocol::OutsideTime total() {
    count_other_threads();
    return total_;
  }

 private:
  void count_other_threads() {
    const double now = other_threads_cpu_ns();
    total_.cpu_ns += now - std::exchange(other_threads_ns_, now);
  }

  protocol::OutsideTime total_;
  double other_threads_ns_ = 0;  // their CPU time that is counted, or left out
};

}  // namespace gdbench::worker
