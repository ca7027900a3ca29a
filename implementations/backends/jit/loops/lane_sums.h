// Sums of the lanes of several vectors at once.
#pragma once

#include <vector>

#include "implementations/backends/jit/loops/builder.h"

namespace gdbench::backends::jit {

// A vector whose lane i is the sum of the lanes of vectors[i], of which there are at most as many as a vector has
// lanes. It has as many lanes as there are vectors, rounded up to a power of two; those beyond are nobody's. Halves are
// added first, as in Builder::sum_of_lanes.
Register sums_of_lanes(Builder& builder, std::vector<Register> vectors);

// A vector of as many lanes as theirs, whose lane i is the sum of the lanes of vectors[i % n]. There are n of them, a
// power of two and at most as many as a vector has lanes.
Register repeated_sums_of_lanes(Builder& builder, std::vector<Register> vectors);

}  // namespace gdbench::backends::jit
