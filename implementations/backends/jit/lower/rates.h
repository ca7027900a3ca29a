// How fast this processor makes operations on vectors, measured in some ten microseconds each: processors slow down
// under long vectors, and differ in how many units they have for products of bfloat16.
#pragma once

#include <cstdint>

namespace gdbench::backends::jit {

enum class VectorOperation : std::uint8_t {
  multiply_add_128,  // of AArch64
  multiply_add_256,
  multiply_add_512,
  add_pairs,  // Code::add_pairs
};

// That one takes where many follow each other that do not wait for each other. The processor must have it.
double nanoseconds_of(VectorOperation operation);

}  // namespace gdbench::backends::jit
