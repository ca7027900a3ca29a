#include "harness/machine/x86_64/widths.h"

#include <cpuid.h>

namespace gdbench::machine {

std::span<const VectorKernels* const> vector_kernels() {
  static constexpr const VectorKernels* kKernels[] = {&kSse2Kernels, &kAvx2Kernels, &kAvx512Kernels};
  return kKernels;
}

// Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID: leaf 7, subleaf 0, EDX bit 22.
bool has_unmeasured_bf16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 22 & 1) != 0;
}

}  // namespace gdbench::machine
