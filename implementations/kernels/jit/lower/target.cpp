#include "implementations/kernels/jit/lower/target.h"

#include <cpuid.h>

namespace gdbench::kernels::jit {

namespace {

// As the processor's maker counts; AMD's 0x19 is Zen 3 and, with AVX-512, Zen 4.
unsigned family() {
  unsigned version = 0;
  unsigned other = 0;
  if (__get_cpuid(1, &version, &other, &other, &other) == 0) return 0;
  const unsigned base = version >> 8 & 0xf;
  return base == 0xf ? base + (version >> 20 & 0xff) : base;
}

}  // namespace

const Target* this_machine(int wanted_bits) {
  static constexpr Target kAvx512 = {512, 32};
  static constexpr Target kAvx512Half = {256, 32};
  static constexpr Target kAvx2 = {256, 16};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  // Zen 4 makes two of every operation of 512 bits; 32 registers of 256 bits then serve better.
  const bool halves = __builtin_cpu_is("amd") != 0 && family() == 0x19;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (!wide) return &kAvx2;
  const int bits = wanted_bits != 0 ? wanted_bits : halves ? 256 : 512;
  return bits < 512 ? &kAvx512Half : &kAvx512;
}

}  // namespace gdbench::kernels::jit
