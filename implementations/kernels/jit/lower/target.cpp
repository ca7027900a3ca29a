#include "implementations/kernels/jit/lower/target.h"

namespace gdbench::kernels::jit {

const Target* this_machine(int most_bits) {
  static constexpr Target kAvx512 = {512, 32};
  static constexpr Target kAvx512Half = {256, 32};
  static constexpr Target kAvx2 = {256, 16};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  if (!wide) return &kAvx2;
  return most_bits != 0 && most_bits < 512 ? &kAvx512Half : &kAvx512;
}

}  // namespace gdbench::kernels::jit
