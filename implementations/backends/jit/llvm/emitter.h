// A program as LLVM's intermediate representation.
#pragma once

#include <llvm-c/Core.h>

#include "implementations/backends/jit/llvm/compiler.h"
#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// The one function of the module.
constexpr const char* kEntryName = "run";

// Registers become LLVM's values as they are; variables become phi nodes at the loops that set them, so that no pass
// has to find that out. The module is the caller's to dispose of. The program must be free of errors (check.h).
LLVMModuleRef emit_module(LLVMContextRef context, const Program& program, const CodeOptions& options);

}  // namespace gdbench::backends::jit
