// Types and values of a module, as LLVM's interface makes them: what a program's types, constants, vector instructions
// and arrays are there.
#pragma once

#include <llvm-c/Core.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

constexpr bool is_real(Scalar type) { return type == Scalar::f32 || type == Scalar::f64; }

// Instructions go to where its builder stands.
class Values {
 public:
  // Of a new module `name`, which is the caller's to dispose of.
  Values(LLVMContextRef context, const std::string& name, bool rounds_pairs);
  ~Values();
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  LLVMContextRef context() const { return context_; }
  LLVMModuleRef module() const { return module_; }
  LLVMBuilderRef builder() const { return builder_; }

  LLVMTypeRef integer(unsigned bits);
  LLVMTypeRef byte_pointer();
  LLVMTypeRef scalar(Scalar type);
  LLVMTypeRef llvm_type(Type type);  // of one lane: a scalar

  LLVMValueRef number(std::int64_t value);  // of 64 bits
  LLVMValueRef constant(Scalar type, double value);
  LLVMValueRef constant(Scalar type, const std::vector<double>& numbers);  // a lane per number
  LLVMValueRef constant(Type type, double value);                          // in all lanes
  LLVMValueRef mask(int lanes, int active);

  // An intrinsic that is overloaded for `types`.
  LLVMValueRef call(const char* name, std::initializer_list<LLVMTypeRef> types,
                    std::initializer_list<LLVMValueRef> arguments);
  // By an instruction of AVX-512, rcp14 or rsqrt14.
  LLVMValueRef estimate(const char* instruction, Type type, LLVMValueRef value);
  // Of f32: the bits of the nearest bfloat16, ties to even, in the upper half of an i32; below them anything. Of pairs,
  // by AVX512_BF16 where vectors have kLanesOfPairs and the processor has it: denormal numbers become 0, as they do in
  // add_pairs.
  LLVMValueRef rounded_bits(Type type, LLVMValueRef value);
  LLVMValueRef narrow(Type type, LLVMValueRef value);
  LLVMValueRef pair_lanes(Type type, LLVMValueRef a, LLVMValueRef b);  // `type` of a and b
  LLVMValueRef pair_neighbours(Type type, LLVMValueRef a, LLVMValueRef b);
  LLVMValueRef add_pairs(LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);  // by an instruction of AVX512_BF16
  void configure_tiles();                                                  // all of AMX's, each as large as can be
  LLVMValueRef splat(Type type, LLVMValueRef value);
  // Lanes by their indices in `a` and `b`, one behind the other.
  LLVMValueRef shuffle(LLVMValueRef a, LLVMValueRef b, const std::vector<int>& indices);
  // 2^a: added to 1.5 x 2^(bits of the mantissa), a + bias stands in the sum's last bits, from where it is shifted to
  // where exponents are.
  LLVMValueRef power_of_two(Type type, LLVMValueRef a);
  LLVMValueRef convert(Type from, Type to, LLVMValueRef value);

 private:
  // The halves of bfloat16 of `a`, and behind them of `b`.
  LLVMValueRef rounded_halves(Type type, LLVMValueRef a, LLVMValueRef b);

  LLVMContextRef context_;
  LLVMModuleRef module_;
  LLVMBuilderRef builder_;
  bool rounds_pairs_;
};

// A scope per array of a program: tells LLVM that arrays do not overlap, so that a store into one is no obstacle to
// loads from others.
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
