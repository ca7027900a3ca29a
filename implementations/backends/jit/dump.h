// Files that show what was made of a region.
#pragma once

#include <string>

#include "implementations/backends/jit/llvm/compiler.h"
#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

// Into `folder`, which it makes: NAME-region.txt as it was handed over, NAME-plan.txt, NAME.cpp, NAME.ll and NAME.s.
// Throws std::runtime_error where a file cannot be written.
void dump(const std::string& folder, const std::string& name, const Region& region, const std::string& plan,
          const Program& program, const Listing& listing);

}  // namespace gdbench::backends::jit
