// What cores of this machine can do: rate and latency of multiply-adds, rates of functions, bandwidth of each cache
// level, of memory and of the spans that scenarios pass over, for every vector width that it has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/machine/probes.h"
#include "harness/report/report.h"

namespace gdbench::machine {

// From what environment() returned.
CacheSizes cache_sizes(const std::string& environment);

struct CeilingOptions {
  std::vector<int> processors = {0};  // logical processors, a thread on each of them at the same time
  CacheSizes caches;
  std::vector<report::Span> spans = {};                 // whose bandwidth is wanted
  double seconds = 1.5;                                 // for it all; every figure is measured twice even beyond it
  std::int64_t memory_bytes = std::int64_t{256} << 20;  // what memory is measured with, and no span beyond
  bool (*cancelled)() = nullptr;                        // asked while waiting; stops the measurement
};

// Measures in a child process, pinned to the processors, so that this one keeps its placement and nothing stays warm.
// Each figure is the best of its repetitions, which are spread over the whole time. `at` is left to the caller.
// Errors: the child could not be started, died, hung or was cancelled.
Result<report::CeilingsMeasurement> measure_ceilings(const CeilingOptions& options);

}  // namespace gdbench::machine
