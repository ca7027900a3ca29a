// When a computation may happen later than it does.
#pragma once

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// Whether what `node` reads is still there right after `where`: no state among its operands is written in between.
// `except` is a writer that does not count, because it goes.
bool can_run_after(const Graph& graph, NodeId node, NodeId where, NodeId except);

}  // namespace gdbench::strategies::graph
