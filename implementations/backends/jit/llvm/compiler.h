// Machine code for a program: the one header behind which LLVM is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// The program's function: its arguments' addresses, and how many steps its loop over steps makes, at least one.
using Function = void (*)(void* const* arguments, std::int64_t steps);

// Lives as long as its function may be called.
class Compiled {
 public:
  virtual ~Compiled() = default;
  Function function = nullptr;
};

// LLVM's intermediate representation and the assembly of what is compiled, for those who want to read it.
struct Listing {
  std::string intermediate;
  std::string assembly;
};

// What may be used of the processor that this runs on.
struct CodeOptions {
  int vector_bits = 256;  // of the longest vectors
  bool avx512 = false;
  bool pairs = false;  // AVX512_BF16
};

// For the processor that this runs on. The program must be free of errors
// (check.h). Fills `listing` unless it is null. Null with one line in `error` where LLVM refuses.
std::unique_ptr<Compiled> compile(const Program& program, const CodeOptions& options, Listing* listing,
                                  std::string& error);

}  // namespace gdbench::backends::jit
