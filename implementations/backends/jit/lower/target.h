// What a processor offers to loops, as data: one description of them serves all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "implementations/backends/jit/loops/cost.h"

namespace gdbench::backends::jit {

// What the vectors of a program are of. avx512vl: AVX-512's registers and masks at 256 bits. amx: avx512 with AMX's
// tiles. neon: of AArch64.
enum class InstructionSet : std::uint8_t { fastest, avx2, avx512vl, avx512, amx, neon };

struct Target {
  int vector_bits = 256;
  int registers = 16;  // of vectors
  bool avx512 = false;
  bool halved = false;  // the processor makes two of each operation on a vector
  bool pairs = false;   // multiplies pairs of bfloat16 (Code::add_pairs)
  bool tiles = false;   // likewise in tiles (Code::tile_multiply)
  bool of_intel = false;
  // Whether the constants of CoreModel were compared with processors of this kind.
  bool measured = true;
  double second_cache_bytes = 0;  // that is planned for; 0: as many as the processor has

  int lanes(Scalar scalar) const { return vector_bits / 8 / static_cast<int>(bytes_of(scalar)); }
};

// Of this machine. Null where it lacks the instructions, or AVX2 and FMA, which all of x86-64 need.
const Target* this_machine(InstructionSet instructions = InstructionSet::fastest);

// What a program may be written for, first what suits most of them; several where `instructions` leaves the choice and
// no answer is the best for all. Empty where the machine lacks them.
std::vector<Target> targets_for(InstructionSet instructions);

CoreModel core_of(const Target& target);

// How a prediction is called, which says where it rests on constants that were never compared with such a processor.
constexpr const char* name_of_prediction(const Target& target) {
  return target.measured ? "a step's cycles, predicted" : "a step's cycles, predicted by constants of x86-64";
}

// That a cycle takes while this processor is busy with such vectors, as fast as it runs now.
double nanoseconds_per_cycle(const Target& target);

}  // namespace gdbench::backends::jit
