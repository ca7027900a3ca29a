// Lowers a region to a program: k steps in one function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "implementations/backends/jit/lower/choices.h"
#include "implementations/backends/jit/lower/context.h"
#include "implementations/backends/jit/lower/plan.h"
#include "implementations/backends/jit/region/region.h"

namespace gdbench::backends::jit {

struct Lowered {
  Program program;
  std::size_t arena_argument = 0;  // which of the function's arguments that is
  std::int64_t arena_bytes = 0;
  std::int64_t shared_bytes = 0;         // the same for all threads
  std::vector<Pack> packs;               // to be made in the arena before the first step
  std::vector<Precomputed> precomputed;  // likewise
  std::vector<Pack> state;               // to be loaded before and stored behind steps
  std::int64_t fired[kPassCount] = {};
  std::string plan;  // what was chosen, for readers
};

// One thread's program, by a plan that the region, the passes and all threads' shares allow (plan.h). Throws
// std::logic_error where what it wrote is no valid program (loops/check.h): a fault in a lowering.
Lowered lower(Region region, const Choices& choices, const Plan& plan, Share share = {});

// Of a step of that program.
double predicted_cycles(const Region& region, const Choices& choices, const Plan& plan, Share share);

}  // namespace gdbench::backends::jit
