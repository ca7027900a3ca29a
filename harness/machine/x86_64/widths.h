// The widths of x86-64's vectors, each in a source of its own.
#pragma once

#include "harness/machine/vector_kernels.h"

namespace gdbench::machine {

extern const VectorKernels kSse2Kernels;  // without FMA: a multiplication and an addition stand for one
extern const VectorKernels kAvx2Kernels;
extern const VectorKernels kAvx512Kernels;

}  // namespace gdbench::machine
