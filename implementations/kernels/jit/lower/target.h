// What a processor offers to loops, as data: one description of them serves all.
#pragma once

#include <algorithm>
#include <cstdint>

#include "implementations/kernels/jit/loops/program.h"

namespace gdbench::kernels::jit {

struct Target {
  int vector_bits = 256;
  int registers = 16;  // of vectors

  int lanes(Scalar scalar) const { return vector_bits / 8 / static_cast<int>(bytes_of(scalar)); }
};

// Of this machine, with vectors of `bits` where it has them (0: as it is fastest). Null where it lacks AVX2 or FMA.
const Target* this_machine(int bits);

}  // namespace gdbench::kernels::jit
