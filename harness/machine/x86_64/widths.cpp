#include "harness/machine/x86_64/widths.h"

#include "harness/abi/tile_permission.h"

namespace gdbench::machine {

std::span<const VectorKernels* const> vector_kernels() {
  static constexpr const VectorKernels* kKernels[] = {&kSse2Kernels, &kAvx2Kernels, &kAvx512Kernels};
  return kKernels;
}

bool has_unmeasured_bf16() { return has_bf16_tiles() && !may_use_bf16_tiles(); }

}  // namespace gdbench::machine
