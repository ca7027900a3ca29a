// What this process has allocated, where allocation_counter.c was preloaded into it.
#pragma once

#include <optional>

#include "harness/protocol/protocol.h"

namespace gdbench::worker {

// All threads since the process began; nothing where nobody counts, which costs a test of a pointer.
std::optional<protocol::AllocationTotals> allocation_totals();

}  // namespace gdbench::worker
