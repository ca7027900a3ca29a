// How products of panels (panels.h) are cut into register tiles.
#pragma once

#include <cstdint>

#include "implementations/backends/jit/loops/program.h"
#include "implementations/backends/jit/lower/target.h"

namespace gdbench::backends::jit {

// Register tiles: lines of vectors.
struct TileShape {
  TileShape(const Target& target, int vectors);

  int vectors = 0;
  std::int64_t lines = 0;
};

struct PanelShape {
  // For `rows` rows of a batch. AMX's tiles need panels of two of them, whatever the batch is.
  PanelShape(const Target& target, Scalar real, std::int64_t rows, bool tiles);

  TileShape batch;         // of products of the batch, whose vectors are a panel's rows
  TileShape gradient;      // of gradients, whose vectors are rows of weights
  std::int64_t panel = 0;  // rows of the batch
  std::int64_t block = 0;  // rows of weights: a cache line of them
};

}  // namespace gdbench::backends::jit
