// Trains by a region that a backend compiles out of the graph of a step.
#pragma once

#include <memory>

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::graph {

// `hoists`: what is the same in all steps is computed once. A rank has a region of its own
// (rank_region.h), without that.
std::unique_ptr<Strategy> make_compiled_region(const Setup& setup, bool hoists);

}  // namespace gdbench::strategies::graph
