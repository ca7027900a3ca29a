#include "implementations/strategies/graph/passes/moving.h"

#include <algorithm>

#include "implementations/strategies/graph/ir/signature.h"

namespace gdbench::strategies::graph {

bool can_run_after(const Graph& graph, NodeId node, NodeId where, NodeId except) {
  const std::vector<NodeId>& reads = graph[node].operands;
  const std::size_t last = graph.position(where);
  for (std::size_t at = graph.position(node) + 1; at <= last; ++at) {
    const NodeId other = graph.order()[at];
    if (other == except) continue;
    for (const std::size_t i : written_operands(graph, other)) {
      const NodeId written = graph[other].operands[i];
      if (graph[written].is_state() && std::find(reads.begin(), reads.end(), written) != reads.end()) return false;
    }
  }
  return true;
}

}  // namespace gdbench::strategies::graph
