// What this process has allocated, where allocation_counter.c was preloaded into it.
#pragma once

#include <cstdint>
#include <optional>

namespace gdbench::worker {

struct AllocationTotals {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // requested, freed or not
};

inline AllocationTotals operator-(const AllocationTotals& after, const AllocationTotals& before) {
  return {after.calls - before.calls, after.bytes - before.bytes};
}

// All threads since the process began; nothing where nobody counts, which costs a test of a pointer.
std::optional<AllocationTotals> allocation_totals();

}  // namespace gdbench::worker
