#define GDBENCH_VECTOR_TARGET
#define GDBENCH_VECTOR_BYTES 32
#define GDBENCH_RATE_ACCUMULATORS 24
#include "harness/machine/aarch64/widths.h"
#include "harness/machine/vector_kernels_body.h"

namespace gdbench::machine {

const VectorKernels kSve256Kernels = make_kernels("sve256", [] { return has_sve_of(256); });

}  // namespace gdbench::machine
