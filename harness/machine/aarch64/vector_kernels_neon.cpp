#define GDBENCH_VECTOR_TARGET
#define GDBENCH_VECTOR_BYTES 16
#define GDBENCH_RATE_ACCUMULATORS 24
#include "harness/machine/aarch64/widths.h"
#include "harness/machine/vector_kernels_body.h"

namespace gdbench::machine {

const VectorKernels kNeonKernels = make_kernels("neon", [] { return true; });  // part of AArch64

}  // namespace gdbench::machine
