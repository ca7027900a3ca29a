// What the kernel's scheduler says of a thread.
#pragma once

#include <string>

namespace gdbench {

// Of the calling thread.
inline constexpr const char* kOwnScheduling = "/proc/thread-self/schedstat";

struct Scheduling {
  double running_ns = 0;  // on a processor
  double waiting_ns = 0;  // ready to run while others had its processor
};

// By a thread's file of the kernel ("time on a processor, time waiting for one, time slices": Linux, sched-stats);
// zeros where the kernel does not say.
Scheduling scheduling_of(const std::string& file);

}  // namespace gdbench
