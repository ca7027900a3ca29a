// A processor for a helper thread.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace gdbench {

// The first that this process may use.
inline std::int32_t any_processor() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::int32_t processor = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(processor), &set)) ++processor;
  return processor;
}

}  // namespace gdbench
