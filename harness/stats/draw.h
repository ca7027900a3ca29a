// Draws for resampling that are the same with every standard library: a report must be recomputable anywhere.
#pragma once

#include <cstddef>
#include <random>

namespace gdbench::stats {

// An index below `size`, which is at most 2^32: the high 32 bits of a draw, scaled by a multiplication. Written here
// because std::uniform_int_distribution differs between standard libraries.
inline std::size_t draw_index(std::mt19937_64& generator, std::size_t size) {
  return static_cast<std::size_t>(((generator() >> 32) * size) >> 32);
}

}  // namespace gdbench::stats
