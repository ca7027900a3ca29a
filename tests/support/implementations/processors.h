// Processors that this process may use.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdbench {

inline std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) processors.push_back(i);
  }
  return processors;
}

// For a helper thread.
inline std::int32_t any_processor() { return allowed_processors().front(); }

}  // namespace gdbench
