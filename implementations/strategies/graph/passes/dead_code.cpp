// Removes what no output and no update needs: the loss of a step that nobody asked for, the gradient of the data.
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/passes/pass.h"

namespace gdbench::strategies::graph {

std::int64_t remove_dead_code(Graph& graph, const Target& /*target*/) {
  std::vector<bool> needed(graph.id_count(), false);
  for (const Output& output : graph.outputs()) needed[output.node] = true;
  const std::vector<NodeId> order = graph.order();
  std::int64_t fired = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    const NodeId node = order[i];
    // An unread input is no work.
    if (!needed[node] && !has_effect(graph, node) && graph[node].kind != Kind::input) {
      graph.erase(node);
      ++fired;
      continue;
    }
    for (const NodeId operand : graph[node].operands) needed[operand] = true;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
