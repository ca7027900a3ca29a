#include "implementations/backends/jit/llvm/alias_scopes.h"

#include <string>

namespace gdbench::backends::jit {

AliasScopes::AliasScopes(Values& ir, const Program& program) : ir_(ir), program_(program) {
  LLVMMetadataRef domain = unique_node("arrays", nullptr);
  std::vector<LLVMMetadataRef> scopes;
  for (const Array& array : program.arrays) scopes.push_back(unique_node(array.name, domain));
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    std::vector<LLVMMetadataRef> others;
    for (std::size_t j = 0; j < scopes.size(); ++j) {
      if (j != i) others.push_back(scopes[j]);
    }
    own_.push_back(list_of({scopes[i]}));
    others_.push_back(list_of(others));
  }
}

void AliasScopes::mark(LLVMValueRef access, ArrayId array) {
  LLVMSetMetadata(access, LLVMGetMDKindIDInContext(ir_.context(), "alias.scope", 11), own_[array]);
  if (program_.arrays.size() > 1) {
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(ir_.context(), "noalias", 7), others_[array]);
  }
}

LLVMValueRef AliasScopes::list_of(const std::vector<LLVMMetadataRef>& nodes) {
  return LLVMMetadataAsValue(
      ir_.context(), LLVMMDNodeInContext2(ir_.context(), const_cast<LLVMMetadataRef*>(nodes.data()), nodes.size()));
}

// A node that is told from others by its name.
LLVMMetadataRef AliasScopes::unique_node(const std::string& name, LLVMMetadataRef domain) {
  const std::string text = program_.name + "." + name + "." + std::to_string(unique_++);
  std::vector<LLVMMetadataRef> parts = {LLVMMDStringInContext2(ir_.context(), text.c_str(), text.size())};
  if (domain != nullptr) parts.push_back(domain);
  return LLVMMDNodeInContext2(ir_.context(), parts.data(), parts.size());
}

}  // namespace gdbench::backends::jit
