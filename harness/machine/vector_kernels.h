// The inner loops that ceilings are measured with, once per vector width. Each width is a translation unit of its own
// whose functions carry the target attribute: everything else stays baseline x86-64, and supported() is asked before
// anything of a width is called.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gdbench::machine {

// Runs `iterations` times over registers only. The result depends on every operation; multiplier and addend are
// arguments so that nothing can be computed before the run.
using ArithmeticLoop = double (*)(std::int64_t iterations, double multiplier, double addend);

// Runs `passes` times over `bytes` bytes at `buffer`, 64-byte aligned; returns the bytes it moved in all, which may be
// a few vectors less than asked for.
using MemoryLoop = std::int64_t (*)(std::byte* buffer, std::int64_t bytes, std::int64_t passes);

constexpr int kMaxStreams = 4;
// Independent accumulators of a rate loop: latency times units is 8 to 10, and sixteen registers hold twelve beside
// the two operands.
constexpr int kRateAccumulators = 12;
// Dependent operations of one iteration of a latency loop.
constexpr int kChainLength = 4;

struct ScalarTypeLoops {
  ArithmeticLoop fma_rate;          // kRateAccumulators vectors x lanes x 2 operations an iteration
  ArithmeticLoop fma_latency;       // kChainLength dependent multiply-adds an iteration
  ArithmeticLoop addition_latency;  // kChainLength dependent additions an iteration
};

struct VectorKernels {
  const char* name;  // "sse2", "avx2", "avx512f"; sse2 has no FMA: a multiplication and an addition stand for one
  int bits;
  bool (*supported)();
  ScalarTypeLoops f32;
  ScalarTypeLoops f64;
  MemoryLoop read[kMaxStreams];  // [s]: s + 1 streams side by side
  MemoryLoop update;             // w -= factor * g over two halves of the buffer: two reads and a write
};

extern const VectorKernels kSse2Kernels;
extern const VectorKernels kAvx2Kernels;
extern const VectorKernels kAvx512Kernels;

// Every width that was built, narrowest first.
inline constexpr const VectorKernels* kVectorKernels[] = {&kSse2Kernels, &kAvx2Kernels, &kAvx512Kernels};

}  // namespace gdbench::machine
