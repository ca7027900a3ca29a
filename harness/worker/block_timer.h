// Times one block with Google Benchmark, one iteration around a function; its CPU time is read beside that, because
// Google Benchmark reads that of other threads by the kernel's ticks.
#pragma once

#include <cstdint>
#include <functional>

namespace gdbench::worker {

struct BlockTime {
  double real_ns = 0;
  double cpu_ns = 0;  // of all threads of the process
  // CLOCK_MONOTONIC right outside the benchmark, so that the coordinator can check them against its own clock.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// Runs `block` once, inside the clock.
BlockTime time_block(const std::function<void()>& block);

// Work that a calibration adds to a timed block: a known slowdown, made by the processor and not by arithmetic on
// times.

// A chain of so many dependent multiply-adds; touches no memory.
void add_work(std::uint64_t iterations);

}  // namespace gdbench::worker
