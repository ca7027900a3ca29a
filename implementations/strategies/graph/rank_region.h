// One of several ranks whose step a backend compiles: a region of the gradients, one of the update, and the exchange
// between them.
#pragma once

#include <memory>

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::graph {

std::unique_ptr<Strategy> make_rank_region(const Setup& setup);

}  // namespace gdbench::strategies::graph
