// What one core of this machine can do: FMA rate and latency, bandwidth of each cache level and of memory, for every
// vector width that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/machine/vector_kernels.h"
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

// What is timed for them, in which order, and how the figures are read from it.

// A cache level or memory.
struct Level {
  std::string name;  // "L1", "L2", "L3", "memory"
  std::int64_t capacity_bytes = 0;
  std::int64_t pass_bytes = 0;  // read by one pass
  std::int64_t span_bytes = 0;  // passes move on through so many bytes; equal to pass_bytes for a cache
};

// Nearest first. L1 and L2 are measured with half their size; L3 with the geometric mean of L2 and L3, of which at most
// 32 MiB count: a shared cache of a virtual machine is not all ours. Memory last.
std::vector<Level> levels_of(const CacheSizes& caches, std::int64_t memory_bytes);

enum class Quantity { fma_rate, fma_latency, addition_latency, read, update };

// One loop of one width. `streams` is for reads, `level` for reads and updates, `f64` for arithmetic.
struct Probe {
  const VectorKernels* kernels = nullptr;
  Quantity quantity = Quantity::fma_rate;
  bool f64 = false;
  std::size_t level = 0;
  int streams = 1;
};

// Of the widths that this processor has, narrowest first.
std::vector<Probe> probes_of(const std::vector<Level>& levels);

// Times all probes in turn, again and again for `seconds`, at least twice. best[p] becomes the most operations or bytes
// per nanosecond that probe p was seen at. `buffer` is 64-byte aligned, in memory already, as long as the longest span.
void run_probes(std::span<const Probe> probes, std::span<const Level> levels, double seconds, std::byte* buffer,
                std::span<double> best);

// The figures per width; `best` as run_probes fills it.
std::vector<report::VectorCeilings> widths_of(std::span<const Probe> probes, std::span<const Level> levels,
                                              std::span<const double> best);

}  // namespace gdbench::machine
