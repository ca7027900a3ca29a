#include "harness/machine/aarch64/widths.h"

#include <sys/auxv.h>
#include <sys/prctl.h>

namespace gdbench::machine {

std::span<const VectorKernels* const> vector_kernels() {
  static constexpr const VectorKernels* kKernels[] = {&kNeonKernels, &kSve256Kernels, &kSve512Kernels};
  return kKernels;
}

bool has_sve_of(int bits) {
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return false;
  const int found = prctl(PR_SVE_GET_VL);
  return found >= 0 && (found & PR_SVE_VL_LEN_MASK) * 8 == bits;
}

// There is no loop of any of them.
bool has_unmeasured_bf16() { return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0; }

}  // namespace gdbench::machine
