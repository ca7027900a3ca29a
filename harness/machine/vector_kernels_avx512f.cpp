#define GDBENCH_VECTOR_TARGET [[gnu::target("avx512f")]]
#define GDBENCH_VECTOR_BYTES 64
#include "harness/machine/vector_kernels_body.h"

namespace gdbench::machine {

const VectorKernels kAvx512Kernels = make_kernels("avx512f", [] { return __builtin_cpu_supports("avx512f") != 0; });

}  // namespace gdbench::machine
