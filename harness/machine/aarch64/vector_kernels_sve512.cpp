#define GDBENCH_VECTOR_TARGET
#define GDBENCH_VECTOR_BYTES 64
#define GDBENCH_RATE_ACCUMULATORS 24
#include "harness/machine/aarch64/widths.h"
#include "harness/machine/vector_kernels_body.h"

namespace gdbench::machine {

const VectorKernels kSve512Kernels = make_kernels("sve512", [] { return has_sve_of(512); });

}  // namespace gdbench::machine
