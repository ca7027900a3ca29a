// One of several ranks whose step a backend compiles: a region of the gradients, an exchange, a region of the update.
#pragma once

#include <memory>

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::graph {

std::unique_ptr<Strategy> make_rank_region(const Setup& setup);

}  // namespace gdbench::strategies::graph
