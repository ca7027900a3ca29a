// What a processor offers to loops, as data: one description of them serves all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "implementations/backends/jit/loops/cost.h"

namespace gdbench::backends::jit {

// What the vectors of a program are of. avx512vl: AVX-512's registers and masks at 256 bits.
enum class InstructionSet : std::uint8_t { fastest, avx2, avx512vl, avx512 };

struct Target {
  int vector_bits = 256;
  int registers = 16;  // of vectors
  bool avx512 = false;
  bool halved = false;  // the processor makes two of each operation on a vector
  bool pairs = false;   // multiplies pairs of bfloat16 (Code::add_pairs)

  int lanes(Scalar scalar) const { return vector_bits / 8 / static_cast<int>(bytes_of(scalar)); }
};

// Of this machine. Null where it lacks the instructions, or AVX2 and FMA, which all need.
const Target* this_machine(InstructionSet instructions = InstructionSet::fastest);

// What a program may be written for, first what suits most of them; several where `instructions` leaves the choice and
// no answer is the best for all. Empty where the machine lacks them.
std::vector<Target> targets_for(InstructionSet instructions);

CoreModel core_of(const Target& target);

}  // namespace gdbench::backends::jit
