// A program as C++ for people and compilers: it computes what the program computes, rounded alike.
#pragma once

#include <string>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// A whole source: vector types in GCC's extension, the few functions that the program calls, and the program as
// `extern "C" void run(void* const* arguments, std::int64_t steps)`.
std::string text_of(const Program& program);

}  // namespace gdbench::backends::jit
