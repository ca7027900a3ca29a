// Counts heap allocations of the whole process, from any code, by the library that workers are profiled with.
#pragma once

#include <cstdint>

extern "C" __attribute__((weak, visibility("default"))) void gdbench_allocation_totals(std::uint64_t* calls,
                                                                                       std::uint64_t* bytes);

namespace gdbench {

// False under sanitizers, which bring their own malloc; counts stay 0 then.
inline bool allocations_are_counted() { return gdbench_allocation_totals != nullptr; }

// Allocations since the process started.
inline std::uint64_t allocation_count() {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  if (allocations_are_counted()) gdbench_allocation_totals(&calls, &bytes);
  return calls;
}

}  // namespace gdbench
