// What cores of the machine reached, and how close a cell comes to it; measured by harness/machine, judged by
// harness/analysis/ceilings.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/named.h"
#include "harness/report/resolved_scenario.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

enum class BoundBy { operations, bytes, chain };
inline constexpr Named<BoundBy> kBounds[] = {
    {BoundBy::operations, "operations"}, {BoundBy::bytes, "bytes"}, {BoundBy::chain, "chain"}};
constexpr const auto& rows_of(BoundBy /*any*/) { return kBounds; }

// Arrays of one length that are passed over side by side: how many are read alone, how many are read and written.
struct Span {
  std::int64_t bytes = 0;  // of all of them
  int read_only = 1;
  int written = 0;

  bool operator==(const Span&) const = default;
};

// A cell compared with what its processor could do.
struct CeilingShare {
  BoundBy bound_by = BoundBy::operations;  // the longest of the three below
  std::string level;                       // that holds what bytes_ns rests on: "L1" ... "memory"
  double floor_ns = 0;                     // no step can be shorter: the longest of the next three
  double operations_ns = 0;                // multiply-adds as two each over the dtype's rate, functions_ns and roots_ns
  double bytes_ns = 0;  // the longest of what a step passes over, by the bandwidth of a span of that length
  double chain_ns = 0;  // operations that depend on each other, by their latency
  double share = 0;     // floor_ns over the step's time
  bool failed = false;  // a share, or all of its interval, above 1: the ceiling was measured too low
  // Since 1.8: the parts of operations_ns that exponentials and that divisions and square roots are, and the measured
  // span whose bandwidth bytes_ns rests on; absent where it is a level's.
  std::optional<double> functions_ns{};
  std::optional<double> roots_ns{};
  std::optional<Span> span{};
  // Since 1.9: the bytes that bytes_ns is the time of.
  std::optional<double> bytes{};
  // Since 1.20: what the products among operations_ns count, a multiply-add as two.
  std::optional<double> operations{};
  // Since 1.20, of launches with ceilings of their own: of `share`, which is the median of the launches' shares. The
  // times above are in proportion to it. Absent where `share` is by the best of the run.
  std::optional<stats::Interval> interval{};
};

// Bandwidths of a cache level or of memory, in 1e9 bytes a second.
struct LevelCeiling {
  std::string level;                   // "L1", "L2", "L3", "memory"
  std::int64_t capacity_bytes = 0;     // as the machine reports it
  std::int64_t working_set_bytes = 0;  // what was measured with
  double read_gb_per_second = 0;       // the best over one to four streams
  int read_streams = 0;                // the number of streams that was best
  double update_gb_per_second = 0;     // two reads and a write, all three counted
};

// The best bandwidth of a span, in 1e9 bytes a second: what is read and what is written, both counted. Every pass
// begins where the last one ended; passes over what is only read are the best of one to four streams.
struct SpanCeiling {
  Span span;
  double gb_per_second = 0;
};

// Entries a nanosecond, at the error of a few units in the last place. A refined one is made by multiply-adds from the
// processor's estimate; 0 where it has none.
struct FunctionCeilings {
  double exponentials_per_ns = 0;
  double divisions_per_ns = 0;
  double roots_per_ns = 0;
  double refined_divisions_per_ns = 0;
  double refined_roots_per_ns = 0;  // 0 where the processor has no estimate
};

// What cores reach with vectors of one width. Rates in 1e9 operations a second, a multiply-add counted as two.
struct VectorCeilings {
  std::string vectors;  // "sse2", "avx2", "avx512f"
  int bits = 0;
  double fma_f32_gflop_per_second = 0;
  double fma_f64_gflop_per_second = 0;
  double fma_f32_latency_ns = 0;  // of a dependent one; with sse2 of a multiplication and an addition
  double fma_f64_latency_ns = 0;
  double addition_f32_latency_ns = 0;
  double addition_f64_latency_ns = 0;
  std::vector<LevelCeiling> levels;  // nearest first
  // Since 1.8.
  std::optional<FunctionCeilings> functions_f32{};
  std::optional<FunctionCeilings> functions_f64{};
  std::optional<std::vector<SpanCeiling>> spans{};  // of the widest vectors
  // Since 1.11: products of bfloat16 with sums in f32. Absent where the width has no instruction for them; 0 where the
  // processor has faster ones that are not measured.
  std::optional<double> bf16_gflop_per_second{};

  double fma_gflop_per_second(Dtype dtype) const {
    return dtype == Dtype::f64 ? fma_f64_gflop_per_second : fma_f32_gflop_per_second;
  }
  // Of matrix products, whose operands a mixed dtype rounds; 0 where it is not known.
  double product_gflop_per_second(Dtype dtype) const {
    if (dtype != Dtype::bf16 || !bf16_gflop_per_second) return fma_gflop_per_second(dtype);
    return *bf16_gflop_per_second > 0 ? std::max(*bf16_gflop_per_second, fma_f32_gflop_per_second) : 0;
  }
};

struct CeilingsMeasurement {
  std::string at;  // UTC, ISO 8601
  double seconds = 0;
  std::vector<VectorCeilings> widths;  // those that the processor has, narrowest first
  // Since 1.8: threads that were measured at the same time, each on a processor of its own. Rates, capacities and spans
  // are all of theirs together, latencies one's. Absent: one thread.
  std::optional<int> threads{};
};

struct TeamCeilings {
  int threads = 0;
  VectorCeilings best;
};

// Measured between the blocks of a launch, so that cells are judged by what the processor gave at the moment.
struct LaunchCeilings {
  std::vector<std::string> scenarios;  // keys into Report.scenarios: whose cells the launch is of
  int launch = 0;
  std::optional<int> threads{};  // as of a measurement
  VectorCeilings best;           // over the launch's rounds but the cold one; 0 and absent: no floor needed it
};

struct Ceilings {
  int processor = 0;                              // the logical processor, also that of single-threaded cells
  std::vector<CeilingsMeasurement> measurements;  // at the start and at the end of the run: speeds change
  std::optional<VectorCeilings> best;  // the best of all of one thread; `vectors`, `bits`: the fastest f32 rate's
  std::optional<std::vector<TeamCeilings>> teams{};  // since 1.8: likewise of each other number of threads

  std::optional<std::vector<LaunchCeilings>> launches{};  // since 1.20

  LaunchCeilings& add_launch() { return (launches ? *launches : launches.emplace()).emplace_back(); }
  // Of so many threads; null where these were not measured.
  const VectorCeilings* best_of(int threads) const;
};

}  // namespace gdbench::report
