#include "implementations/backends/jit/lower/target.h"

#include <unistd.h>

#include <chrono>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

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

// One after the other, they take three cycles each on all x86-64 processors of the last fifteen years (Agner Fog,
// Instruction tables).
constexpr double kCyclesOfOperation = 3;
inline void operate(std::uint64_t& value) { asm volatile("imul %0, %0" : "+r"(value)); }

#else

// Eight operations of a cycle each, one after the other, as Arm's optimisation guides have it for its processors.
constexpr double kCyclesOfOperation = 8;
inline void operate(std::uint64_t& value) {
  asm volatile(".rept 8\n eor %0, %0, %1\n .endr" : "+r"(value) : "r"(~value));
}

#endif

}  // namespace

CoreModel core_of(const Target& target) {
  CoreModel core;
  measure(core.first_cache, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC);
  measure(core.second_cache, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC);
  if (target.second_cache_bytes > 0) core.second_cache.bytes = target.second_cache_bytes;
  // Measured: 22 cycles for a root and a quotient of 512 bits, 10 for those of 256.
  if (target.vector_bits == 512) core.division_cycles = 11;
  if (!target.halved) return core;
  for (double* rate :
       {&core.arithmetic_per_cycle, &core.loads_per_cycle, &core.stores_per_cycle, &core.shuffles_per_cycle}) {
    *rate /= 2;
  }
  // Measured: half as many instructions leave the first cache time to be filled.
  core.second_cache_bytes_per_cycle *= 2;
  return core;
}

double nanoseconds_per_cycle() {
  using Clock = std::chrono::steady_clock;
  constexpr int kOperations = 4000;  // some microseconds
  double least = 0;
  for (int round = 0; round < 3; ++round) {
    std::uint64_t value = 3;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kOperations; ++i) operate(value);
    const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    if (round == 0 || elapsed < least) least = elapsed;
  }
  return least / (kCyclesOfOperation * kOperations);
}

#if defined(__x86_64__)
namespace {

// Whether the processor has AMX's tiles of bfloat16, and Linux lets this process use them once it was asked.
bool may_use_tiles() {
  // Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID: leaf 7, subleaf 0, EDX bits 22 and 24.
  constexpr unsigned kBfloat16 = 1U << 22;
  constexpr unsigned kTileRegisters = 1U << 24;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kBfloat16) == 0 || (d & kTileRegisters) == 0) return false;
  // asm/prctl.h of Linux 5.16; number 18 is the state of the tiles.
  constexpr int kRequestPermission = 0x1023;
  constexpr int kTileState = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileState) == 0;
}

}  // namespace

const Target* this_machine(InstructionSet instructions) {
  static constexpr Target kAvx512Half = {256, 32, true};
  static constexpr Target kAvx2 = {256, 16, false};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  // Zen 4 makes two of every operation of 512 bits; 32 registers of 256 bits then serve better.
  const bool halves = __builtin_cpu_is("amd") != 0 && family() == 0x19;
  if (instructions == InstructionSet::fastest) {
    if (!has_avx512) return &kAvx2;
    if (halves) return &kAvx512Half;
  }
  if (instructions == InstructionSet::avx2) return &kAvx2;
  if (!has_avx512 || instructions == InstructionSet::neon) return nullptr;
  if (instructions == InstructionSet::avx512vl) return &kAvx512Half;
  static const Target avx512 = {512, 32, true, halves, __builtin_cpu_supports("avx512bf16") != 0};
  static const Target amx = {512, 32, true, halves, avx512.pairs, may_use_tiles()};
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
