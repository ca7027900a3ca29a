// Start states that no worker has seen: the scenario's own with a few entries changed a little, so that no answer can
// be foreseen or remembered.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "harness/scenario/problem.h"

namespace gdbench::measure {

// How far a block's start is from the scenario's, as a share of how far the block moves the parameters: by so little
// that it moves them about as far.
constexpr double kShareOfDisplacement = 1e-4;

struct VariedEntry {
  std::size_t tensor = 0;  // of the parameters
  std::size_t entry = 0;   // of the tensor, row-major
  double value = 0;
};

// The entries to change, and their new values. `distance` is the 2-norm of the change, or nearly; entries that it would
// not reach in the dtype change by some of their last bits.
std::vector<VariedEntry> vary(const scenario::State& start, scenario::Dtype dtype, double distance,
                              std::mt19937_64& generator);

}  // namespace gdbench::measure
