#include "harness/worker/allocation_totals.h"

// Defined by the preloaded library only.
extern "C" __attribute__((weak, visibility("default"))) void gdbench_allocation_totals(std::uint64_t* calls,
                                                                                       std::uint64_t* bytes);

namespace gdbench::worker {

std::optional<protocol::AllocationTotals> allocation_totals() {
  if (gdbench_allocation_totals == nullptr) return std::nullopt;
  protocol::AllocationTotals totals;
  gdbench_allocation_totals(&totals.calls, &totals.bytes);
  return totals;
}

}  // namespace gdbench::worker
