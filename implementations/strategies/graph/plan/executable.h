// A compiled graph as a flat list of calls with their buffers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "implementations/strategies/common/batch_feed.h"
#include "implementations/strategies/common/column_masks.h"
#include "implementations/strategies/common/exchange.h"
#include "implementations/strategies/common/parameters.h"
#include "implementations/strategies/common/program.h"
#include "implementations/strategies/graph/ir/graph.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "implementations/strategies/graph/plan/buffers.h"

namespace gdbench::strategies::graph {

// From a graph as it was built to one that can be bound: passes, copies, buffer plan, each verified.

struct Compiled {
  Graph graph;
  BufferPlan plan;
  // The passes in their order, then buffer-reuse.
  std::vector<PassReport> reports;
};

// Throws Failure where a pass or the plan broke the graph.
Compiled compile(Graph graph, const Target& target, const Selection& selection, catalogue::Dtype dtype,
                 const Observer& observer);

// Binds a compiled step on a batch whose parts are `parts`, of the rows that the graph was built for. `masks` may be
// null where the graph has none, and `exchange`, which gets the layers whose gradients are complete, where it
// does not end in gradients; `arena` has at least compiled.plan.arena_bytes.
Program make_executable(Session& session, const Compiled& compiled, Parameters& parameters, const ColumnMasks* masks,
                        Exchange* exchange, backends::Buffer arena, std::span<const Batch> parts);

}  // namespace gdbench::strategies::graph
