// Lowers a region to a program: k steps in one function.
#pragma once

#include <cstdint>
#include <string>

#include "implementations/kernels/jit/lower/target.h"
#include "implementations/kernels/jit/region/region.h"

namespace gdbench::kernels::jit {

struct Lowered {
  Program program;
  std::size_t arena_argument = 0;  // which of the function's arguments that is
  std::int64_t arena_bytes = 0;
};

// What a lowering may choose.
struct Choices {
  bool fuse = true;                 // elementwise nodes are computed where their operands are (groups.h)
  std::int64_t block_rows = 0;      // of a batch in blocks (row_blocks.h); 0: as many as the caches are for
  std::int64_t scalar_limit = 256;  // up to this size (scalars.h) a model becomes scalars
};

// Throws std::logic_error where the program it wrote is none (loops/check.h): a fault in a lowering.
Lowered lower(Region region, const Target& target, const Choices& choices = {});

}  // namespace gdbench::kernels::jit
