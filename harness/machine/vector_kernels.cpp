#include "harness/machine/vector_kernels.h"

#include <array>

namespace gdbench::machine {

std::span<const VectorKernels* const> all_vector_kernels() {
  static constexpr std::array kAll = {&kSse2Kernels, &kAvx2Kernels, &kAvx512Kernels};
  return kAll;
}

}  // namespace gdbench::machine
