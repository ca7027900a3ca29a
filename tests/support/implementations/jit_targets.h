// All kinds of vectors that the processor has: programs are to be right with each of them, wherever the tests run.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "implementations/backends/jit/llvm/compiler.h"
#include "implementations/backends/jit/lower/target.h"

namespace gdbench::backends::jit {

struct NamedTarget {
  const char* name;  // of the option `instructions`
  Target target;
};

inline std::vector<NamedTarget> targets_of_this_machine() {
  std::vector<NamedTarget> targets;
  for (const auto& [name, instructions] : {std::pair("avx2", InstructionSet::avx2),
                                           {"avx512vl", InstructionSet::avx512vl},
                                           {"avx512", InstructionSet::avx512},
                                           {"amx", InstructionSet::amx},
                                           {"neon", InstructionSet::neon}}) {
    if (const Target* target = this_machine(instructions)) targets.push_back({name, *target});
  }
  return targets;
}

// Their values of the option `instructions`.
inline std::vector<const char*> instructions_of_this_machine() {
  std::vector<const char*> names;
  for (const NamedTarget& target : targets_of_this_machine()) names.push_back(target.name);
  return names;
}

template <class Body>
void for_each_target(const Body& body) {
  for (const NamedTarget& named : targets_of_this_machine()) {
    SCOPED_TRACE(named.name);
    body(named.target);
  }
}

inline std::unique_ptr<Compiled> compiled_for(const Target& target, const Program& program,
                                              Listing* listing = nullptr) {
  std::string error;
  auto compiled = compile(program, {target.vector_bits, target.avx512, target.pairs}, listing, error);
  EXPECT_NE(compiled, nullptr) << error;
  return compiled;
}

}  // namespace gdbench::backends::jit
