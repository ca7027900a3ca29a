// The widths of AArch64's vectors, each in a source of its own. SVE's are those that its processors have had except 128
// bits, which are NEON's; they are compiled for SVE as a whole, and called only where a processor's have that length.
#pragma once

#include "harness/machine/vector_kernels.h"

namespace gdbench::machine {

extern const VectorKernels kNeonKernels;
extern const VectorKernels kSve256Kernels;
extern const VectorKernels kSve512Kernels;

// Whether the processor has SVE, and its vectors have so many bits.
bool has_sve_of(int bits);

}  // namespace gdbench::machine
