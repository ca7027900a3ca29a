// What one core of this machine can do: FMA rate and latency, bandwidth of each cache level and of memory, for every
// vector width that it has.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/result.h"
#include "harness/report/report.h"

namespace gdbench::machine {

// Bytes of the data caches; 0 where the machine does not say, and nothing is measured for that level.
struct CacheSizes {
  std::int64_t l1 = 0;
  std::int64_t l2 = 0;
  std::int64_t l3 = 0;
};

// From what environment() returned.
CacheSizes cache_sizes(const std::string& environment);

struct CeilingOptions {
  int processor = 0;  // logical processor to measure on
  CacheSizes caches;
  double seconds = 1.5;  // for the whole measurement; every figure is measured at least twice even beyond it
  std::int64_t memory_bytes = std::int64_t{256} << 20;  // what memory is measured with
  bool (*cancelled)() = nullptr;                        // asked while waiting; stops the measurement
};

// Measures in a child process, pinned to the processor, so that this one keeps its placement and nothing stays warm.
// Each figure is the best of its repetitions, which are spread over the whole time. `at` is left to the caller.
// Errors: the child could not be started, died, hung or was cancelled.
Result<report::CeilingsMeasurement> measure_ceilings(const CeilingOptions& options);

}  // namespace gdbench::machine
