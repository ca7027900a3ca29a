// Kernels that overwrite an operand get a copy of it where it is needed later.
#pragma once

#include <cstdint>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// Returns how many copies were inserted; none for the graphs of plain networks. Afterwards the graph is
// Stage::executable unless it holds transposes. Gradients that update_all reads are given ones or
// distinct computed values afterwards.
std::int64_t insert_copies(Graph& graph);

}  // namespace gdbench::strategies::graph
