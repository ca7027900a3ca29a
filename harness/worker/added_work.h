// Work that a calibration adds to a timed block: a known slowdown, made by the processor and not by arithmetic on
// times.
#pragma once

#include <cstdint>

namespace gdbench::worker {

// A chain of so many dependent multiply-adds; touches no memory.
void add_work(std::uint64_t iterations);

}  // namespace gdbench::worker
