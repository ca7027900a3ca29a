#include "implementations/backends/jit/lower/target.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "harness/abi/tile_permission.h"
#include "implementations/backends/jit/lower/rates.h"

namespace gdbench::backends::jit {

namespace {

// What the processor says of itself, if it does.
void measure(Cache& cache, int bytes_name, int ways_name) {
  const long bytes = sysconf(bytes_name);
  const long ways = sysconf(ways_name);
  if (bytes > 0 && ways > 0) cache = {static_cast<double>(bytes), static_cast<double>(ways)};
}

#if defined(__x86_64__)

// As the processor's maker counts; AMD's 0x19 is Zen 3 and, with AVX-512, Zen 4.
unsigned family() {
  unsigned version = 0;
  unsigned other = 0;
  if (__get_cpuid(1, &version, &other, &other, &other) == 0) return 0;
  const unsigned base = version >> 8 & 0xf;
  return base == 0xf ? base + (version >> 20 & 0xff) : base;
}

#endif

// To the half of a cycle.
double cycles_of_pairs(const Target& target) {
  static const double pairs = nanoseconds_of(VectorOperation::add_pairs);
  static const double multiply_adds = nanoseconds_of(VectorOperation::multiply_add_512);
  const double per_cycle = target.halved ? 1 : CoreModel().arithmetic_per_cycle;
  return std::max(1.0, std::round(2 * pairs / (multiply_adds * per_cycle))) / 2;
}

}  // namespace

CoreModel core_of(const Target& target) {
  CoreModel core;
  measure(core.first_cache, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC);
  measure(core.second_cache, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC);
  if (target.second_cache_bytes > 0) core.second_cache.bytes = target.second_cache_bytes;
  // Measured: 22 cycles for a root and a quotient of 512 bits, 10 for those of 256.
  if (target.vector_bits == 512) core.division_cycles = 11;
  if (target.pairs) core.pair_cycles = cycles_of_pairs(target);
  // Measured on a Xeon with AMX: 30 GB/s from beyond the second cache, and rows of 1332 bytes that come late.
  if (target.of_intel) {
    core.beyond_bytes_per_cycle = 9;
    core.far_bytes = 1024;
  }
  if (!target.halved) return core;
  for (double* rate :
       {&core.arithmetic_per_cycle, &core.loads_per_cycle, &core.stores_per_cycle, &core.shuffles_per_cycle}) {
    *rate /= 2;
  }
  // Measured: half as many instructions leave the first cache time to be filled.
  core.second_cache_bytes_per_cycle *= 2;
  return core;
}

double nanoseconds_per_cycle(const Target& target) {
  const VectorOperation operation = target.vector_bits == 512   ? VectorOperation::multiply_add_512
                                    : target.vector_bits == 256 ? VectorOperation::multiply_add_256
                                                                : VectorOperation::multiply_add_128;
  return nanoseconds_of(operation) * core_of(target).arithmetic_per_cycle;
}

#if defined(__x86_64__)
const Target* this_machine(InstructionSet instructions) {
  __builtin_cpu_init();
  static const bool intel = __builtin_cpu_is("intel") != 0;
  static const Target avx512_half = {.vector_bits = 256, .registers = 32, .avx512 = true, .of_intel = intel};
  static const Target avx2 = {.of_intel = intel};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  // Zen 4 makes two of every operation of 512 bits; 32 registers of 256 bits then serve better.
  const bool halves = __builtin_cpu_is("amd") != 0 && family() == 0x19;
  if (instructions == InstructionSet::fastest) {
    if (!has_avx512) return &avx2;
    if (halves) return &avx512_half;
  }
  if (instructions == InstructionSet::avx2) return &avx2;
  if (!has_avx512 || instructions == InstructionSet::neon) return nullptr;
  if (instructions == InstructionSet::avx512vl) return &avx512_half;
  static const Target avx512 = {.vector_bits = 512,
                                .registers = 32,
                                .avx512 = true,
                                .halved = halves,
                                .pairs = __builtin_cpu_supports("avx512bf16") != 0,
                                .of_intel = intel};
  static const Target amx = [] {
    Target target = avx512;
    target.tiles = may_use_bf16_tiles();
    return target;
  }();
  if (instructions == InstructionSet::amx && !amx.tiles) return nullptr;
  return instructions == InstructionSet::avx512 ? &avx512 : &amx;
}

#else
// Part of every AArch64. Of SVE nothing is used, whose vectors have a length that only the processor knows.
const Target* this_machine(InstructionSet instructions) {
  static constexpr Target kNeon = {.vector_bits = 128, .registers = 32, .measured = false};
  return instructions == InstructionSet::fastest || instructions == InstructionSet::neon ? &kNeon : nullptr;
}
#endif

std::vector<Target> targets_for(InstructionSet instructions) {
  const Target* usual = this_machine(instructions);
  if (usual == nullptr) return {};
  const Target* wide = this_machine(InstructionSet::avx512);
  const bool both = instructions == InstructionSet::fastest && wide != nullptr && wide->halved;
  return both ? std::vector{*usual, *wide} : std::vector{*usual};
}

}  // namespace gdbench::backends::jit
