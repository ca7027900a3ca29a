#define GDBENCH_VECTOR_TARGET [[gnu::target("avx2,fma")]]
#define GDBENCH_VECTOR_BYTES 32
#define GDBENCH_RATE_ACCUMULATORS 12
#include "harness/machine/vector_kernels_body.h"
#include "harness/machine/x86_64/widths.h"

namespace gdbench::machine {

const VectorKernels kAvx2Kernels =
    make_kernels("avx2", [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; });

}  // namespace gdbench::machine
