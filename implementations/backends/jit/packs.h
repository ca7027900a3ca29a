// The copies that a region reads instead of the caller's matrices (Pack), made and read back outside of its steps.
#pragma once

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// `matrix` is the pack's argument. What fills a block's vectors up stays as it is.
void copy_to_pack(const Pack& pack, Dtype dtype, const void* matrix, void* packed);
void copy_from_pack(const Pack& pack, Dtype dtype, const void* packed, void* matrix);

}  // namespace gdbench::backends::jit
