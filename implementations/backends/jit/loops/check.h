// Whether a program may be compiled. Runs on every program before it is: what it lets through cannot read or write
// outside its arrays, even where a lowering is wrong.
#pragma once

#include <string>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// Empty, or one line about the first thing that is wrong: a register that is read where it is not set, types that do
// not fit together, a variable that is read before it is set, an address that may lie outside its array.
std::string program_error(const Program& program);

}  // namespace gdbench::backends::jit
