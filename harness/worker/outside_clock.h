// What a plugin does outside the blocks that are timed, as its host sees it.
#pragma once

#include <utility>

#include "harness/base/clock.h"
#include "harness/protocol/protocol.h"
#include "harness/worker/cpu_clock.h"

namespace gdbench::worker {

class OutsideClock {
 public:
  // Calls a function of the plugin that is not timed as a block.
  template <class Call>
  auto count(Call&& call) {
    const double waiting_ns = thread_waiting_ns();
    const std::int64_t started_ns = monotonic_ns();
    const double cpu_ns = thread_cpu_ns();
    auto result = std::forward<Call>(call)();
    total_.cpu_ns += thread_cpu_ns() - cpu_ns;
    const auto passed_ns = static_cast<double>(monotonic_ns() - started_ns);
    total_.real_ns += passed_ns - (thread_waiting_ns() - waiting_ns);
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
