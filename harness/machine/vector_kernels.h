// The inner loops that ceilings are measured with, once per vector width. Each width is a translation unit of its own
// whose functions carry the target attribute, in the folder of its processor: everything else stays baseline, and
// supported() is asked before anything of a width is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gdbench::machine {

// Runs `iterations` times over registers only. The result depends on every operation; multiplier and addend are
// arguments so that nothing can be computed before the run.
using ArithmeticLoop = double (*)(std::int64_t iterations, double multiplier, double addend);

// Forward: every pass runs from the first byte to the last. Turning: the first pass runs backward, the next one
// forward, and so on, so that each begins with what the one before it left in the caches.
enum class Order { forward, turning };

// Runs `passes` times over `bytes` bytes at `buffer`, 64-byte aligned; returns the bytes it moved in all, which may be
// a few vectors less than asked for.
using MemoryLoop = std::int64_t (*)(std::byte* buffer, std::int64_t bytes, std::int64_t passes, Order order);

// Runs `passes` times over kFunctionBytes at `buffer`, 64-byte aligned: the second half becomes a function of the first
// one, whose entries are positive. Returns how many entries it computed in all.
using FunctionLoop = std::int64_t (*)(std::byte* buffer, std::int64_t passes);

constexpr int kMaxStreams = 4;
// The most arrays that an update writes: parameters and two slots.
constexpr int kMaxWritten = 3;
// Both halves fit the first cache level of any processor.
constexpr std::int64_t kFunctionBytes = 8192;
// Dependent operations of one iteration of a latency loop.
constexpr int kChainLength = 4;

struct ScalarTypeLoops {
  ArithmeticLoop fma_rate;          // accumulators x lanes x 2 operations an iteration
  ArithmeticLoop fma_latency;       // kChainLength dependent multiply-adds an iteration
  ArithmeticLoop addition_latency;  // kChainLength dependent additions an iteration
  FunctionLoop exponential;
  FunctionLoop division;
  FunctionLoop root;
  // From the processor's estimates of 1 / x and 1 / sqrt(x), by Newton's steps; null where it has none.
  FunctionLoop refined_division;
  FunctionLoop refined_root;
};

struct VectorKernels {
  const char* name;  // "sse2", "avx2", "avx512f"; "neon", "sve256", "sve512"
  int bits;
  int rate_accumulators;  // vectors of a rate loop
  bool (*supported)();
  ScalarTypeLoops f32;
  ScalarTypeLoops f64;
  MemoryLoop read[kMaxStreams];  // [s]: s + 1 streams side by side
  // [r][w]: r + 0 arrays are read, w + 1 arrays are read and written, all equal parts of the buffer.
  MemoryLoop update[2][kMaxWritten];
  // Products of pairs of bfloat16 added to floats: rate_accumulators x lanes x 4 operations an iteration. Null where no
  // instruction of the width makes them; `multiplies_bf16` tells whether the processor has it.
  ArithmeticLoop bf16_rate = nullptr;
  bool (*multiplies_bf16)() = nullptr;
  // The same by AMX's tiles: kTileOperations an iteration.
  ArithmeticLoop tile_rate = nullptr;
  bool (*multiplies_tiles)() = nullptr;
};
// Of an iteration's four products of 16 rows, 16 columns and 32 terms.
constexpr int kTileOperations = 4 * 2 * 16 * 16 * 32;

// Whether the processor has faster instructions for products of bfloat16 than those that there are loops of: AMX's
// tiles where Linux refuses them, or Arm's.
bool has_unmeasured_bf16();

// Every width that was built, narrowest first.
std::span<const VectorKernels* const> vector_kernels();

}  // namespace gdbench::machine
