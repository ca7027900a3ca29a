// Short loops as straight lines: to enter and to leave a loop takes as long as some dozens of instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// Replaces each loop whose rounds are up to `max_instructions` together, innermost ones first. Returns how many.
std::int64_t unroll_short_loops(Program& program, std::size_t max_instructions);

}  // namespace gdbench::backends::jit
