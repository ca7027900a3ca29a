// What a plugin does outside the blocks that are timed, as its host sees it.
#pragma once

#include <utility>

namespace gdbench::worker {

// Totals since the process began. Time of the host's own code is not in them.
struct OutsideTime {
  double cpu_ns = 0;   // the plugin's functions, and other threads of the process at any time
  double real_ns = 0;  // the plugin's functions
};

class OutsideClock {
 public:
  // Calls a function of the plugin that is not timed as a block.
  template <class Call>
  auto count(Call&& call) {
    const Readings before = read();
    auto result = std::forward<Call>(call)();
    const Readings after = read();
    total_.cpu_ns += after.thread_cpu_ns - before.thread_cpu_ns;
    total_.real_ns += after.real_ns - before.real_ns;
    return result;
  }

  // Calls what is timed as a block: its CPU time, of all threads, is accounted for there.
  template <class Call>
  auto leave_out(Call&& call) {
    count_other_threads();
    auto result = std::forward<Call>(call)();
    other_threads_cpu_ns_ = read().other_threads_cpu_ns();
    return result;
  }

  OutsideTime total() {
    count_other_threads();
    return total_;
  }

 private:
  struct Readings {
    double thread_cpu_ns = 0;  // of the calling thread
    double process_cpu_ns = 0;
    double real_ns = 0;
    double other_threads_cpu_ns() const { return process_cpu_ns - thread_cpu_ns; }
  };

  static Readings read();
  void count_other_threads();

  OutsideTime total_;
  double other_threads_cpu_ns_ = 0;  // counted, or left out
};

}  // namespace gdbench::worker
