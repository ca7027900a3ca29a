// Tells LLVM that arrays do not overlap, so that a store into one is no obstacle to loads from others.
#pragma once

#include <vector>

#include "implementations/backends/jit/llvm/values.h"

namespace gdbench::backends::jit {

// A scope per array of a program.
class AliasScopes {
 public:
  AliasScopes(Values& ir, const Program& program);

  // `access` loads from the array or stores into it.
  void mark(LLVMValueRef access, ArrayId array);

 private:
  LLVMValueRef list_of(const std::vector<LLVMMetadataRef>& nodes);
  LLVMMetadataRef unique_node(const std::string& name, LLVMMetadataRef domain);

  Values& ir_;
  const Program& program_;
  int unique_ = 0;
  std::vector<LLVMValueRef> own_;  // by array
  std::vector<LLVMValueRef> others_;
};

}  // namespace gdbench::backends::jit
