// Start states of blocks that no worker has seen, so that no answer can be foreseen, remembered, or made from one.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "harness/scenario/problem.h"

namespace gdbench::measure {

// One vector for each parameter, of its size.
using Parameters = std::vector<std::vector<double>>;

struct VariedEntry {
  std::size_t tensor = 0;  // of the parameters
  std::size_t entry = 0;   // of the tensor, row-major
  double change = 0;
};

// How a block's start differs from the scenario's: by a share of the way that a block goes, forwards or backwards,
// which changes what its steps do, and by some entries, which no other block has.
struct StartVariation {
  double along = 0;  // times the way
  std::vector<VariedEntry> entries;
};

// The most that a start is moved along the way, and the 2-norm of what is changed in entries, as shares of the way.
constexpr double kShareAlong = 0.25;
constexpr double kShareOfEntries = 0.02;

// `distance`: of a block's start from its end, 2-norm; 0 where that is not known. Then no start is moved along the way,
// and entries change by some of their last bits.
StartVariation vary_start(const scenario::State& start, scenario::Dtype dtype, double distance,
                          std::mt19937_64& generator);

// `start` with the variation; `way` may be empty where `variation.along` is 0.
scenario::State varied(scenario::State start, const Parameters& way, const StartVariation& variation);

}  // namespace gdbench::measure
