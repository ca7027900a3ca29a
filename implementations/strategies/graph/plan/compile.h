// From a graph as it was built to one that can be bound: passes, copies, buffer plan, each verified.
#pragma once

#include <string>
#include <vector>

#include "implementations/strategies/graph/ir/graph.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "implementations/strategies/graph/plan/buffers.h"

namespace gdbench::strategies::graph {

struct Compiled {
  Graph graph;
  BufferPlan plan;
  // The passes in their order, then buffer-reuse.
  std::vector<PassReport> reports;
};

// Throws Failure where a pass or the plan broke the graph.
Compiled compile(Graph graph, const Target& target, const Selection& selection, catalogue::Dtype dtype,
                 const Observer& observer);

}  // namespace gdbench::strategies::graph
