// What the kernel's scheduler says of a thread.
#pragma once

#include <string>

namespace gdbench {

// Of the calling thread.
inline constexpr const char* kOwnScheduling = "/proc/thread-self/schedstat";

// How long, in nanoseconds, a thread has been ready to run while others had its processor, by its file of the kernel
// ("time on a processor, time waiting for one, time slices": Linux, sched-stats); 0 where the kernel does not say.
double waiting_ns(const std::string& file);

}  // namespace gdbench
