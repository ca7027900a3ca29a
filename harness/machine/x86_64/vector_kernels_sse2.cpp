#define GDBENCH_VECTOR_TARGET
#define GDBENCH_VECTOR_BYTES 16
#define GDBENCH_RATE_ACCUMULATORS 12
#include "harness/machine/vector_kernels_body.h"
#include "harness/machine/x86_64/widths.h"

namespace gdbench::machine {

const VectorKernels kSse2Kernels = make_kernels("sse2", [] { return true; });  // part of x86-64

}  // namespace gdbench::machine
