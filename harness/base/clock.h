// The clock that both sides of the worker protocol read.
#pragma once

#include <time.h>

#include <cstdint>

namespace gdbench {

// CLOCK_MONOTONIC now, in nanoseconds: the same in all processes of a machine.
inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace gdbench
