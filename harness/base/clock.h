// The clock that both sides of the worker protocol read, and the time of day as reports write it.
#pragma once

#include <time.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace gdbench {

// CLOCK_MONOTONIC now, in nanoseconds: the same in all processes of a machine.
inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// UTC, "2026-11-28T04:00:00Z".
std::string utc_text(std::time_t time);
std::string utc_now();
// Of "2026-11-28T04:00:00Z"; nothing for any other text.
std::optional<std::int64_t> seconds_since_1970(const std::string& time);

}  // namespace gdbench
