// What is timed for the ceilings, in which order, and how the figures are read from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/machine/probe_team.h"
#include "harness/machine/vector_kernels.h"
#include "harness/report/report.h"

namespace gdbench::machine {

// Bytes of the data caches; 0 where the machine does not say, and nothing is measured for that level.
struct CacheSizes {
  std::int64_t l1 = 0;
  std::int64_t l2 = 0;
  std::int64_t l3 = 0;
};

// A cache level or memory, as `threads` threads see it that have an L1 and an L2 each.
struct Level {
  std::string name;  // "L1", "L2", "L3", "memory"
  std::int64_t capacity_bytes = 0;
  std::int64_t pass_bytes = 0;  // read by one pass of all threads
  std::int64_t span_bytes = 0;  // passes move on through so many bytes; equal to pass_bytes for a cache
};

// Nearest first. L1 and L2 are measured with half their size; L3 with the geometric mean of L2 and L3, of which at most
// 32 MiB count: a shared cache of a virtual machine is not all ours. Memory last.
std::vector<Level> levels_of(const CacheSizes& caches, std::int64_t memory_bytes, int threads = 1);

enum class Quantity {
  fma_rate,
  bf16_rate,  // of products of bfloat16; f64 says nothing
  tile_rate,  // likewise
  fma_latency,
  addition_latency,
  exponential,
  division,
  root,
  refined_division,
  refined_root,
  read,
  update,
  span
};

// One loop of one width.
struct Probe {
  const VectorKernels* kernels = nullptr;
  Quantity quantity = Quantity::fma_rate;
  bool f64 = false;       // of arithmetic and functions
  std::size_t level = 0;  // of reads and updates
  int streams = 1;        // of reads, and of spans that are only read
  report::Span span{};
};

// Of the widths that this processor has, narrowest first; spans of the widest alone. Spans that are shorter than what
// the first level is measured with are measured with as much, for a pass over less is mostly its own beginning and end;
// longer ones than memory is measured with likewise, for they are in memory, too.
std::vector<Probe> probes_of(const std::vector<Level>& levels, const std::vector<report::Span>& spans);

// What floors of steps are made of, for one number of threads.
struct FloorFigures {
  std::vector<int> processors;  // a thread on each of them at the same time
  std::set<bool> f64;           // whose arithmetic: f32 (false), f64 (true)
  bool bf16 = false;            // products of bfloat16, too
  bool exponentials = false;
  bool divisions = false;
  bool roots = false;
  std::vector<report::Span> spans;  // each as long as it is measured with
};

// Of the widths that this processor has, narrowest first; spans of the widest alone.
std::vector<Probe> probes_of(const FloorFigures& figures);

// The bytes that the probes need at the same time: the longest span.
std::int64_t buffer_bytes(std::span<const Probe> probes, std::span<const Level> levels);

// For `seconds` times whichever probe had the least time, and then those that had too few repetitions. best[p] becomes
// the most operations, entries or bytes per nanosecond that probe p was seen at, by all threads of the team together.
void run_probes(std::span<const Probe> probes, std::span<const Level> levels, double seconds, ProbeTeam& team,
                std::span<double> best);

// The figures per width; `best` as run_probes fills it for so many threads. Latencies are one thread's.
std::vector<report::VectorCeilings> widths_of(std::span<const Probe> probes, std::span<const Level> levels, int threads,
                                              std::span<const double> best);

}  // namespace gdbench::machine
