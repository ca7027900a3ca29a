// Transposes vanish into the products that read them; two in a row cancel. Those of a single row or column change no
// memory, but an elementwise op still needs its operands' shapes to agree, so they are left to products too.
#include "implementations/strategies/graph/passes/pass.h"

namespace gdbench::strategies::graph {

std::int64_t fold_transposes(Graph& graph, const Target& /*target*/) {
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    Node& node = graph[id];
    if (node.kind == Kind::transpose && graph[node.operands[0]].kind == Kind::transpose) {
      graph.replace_uses(id, graph[node.operands[0]].operands[0]);
      graph.erase(id);
      ++fired;
      continue;
    }
    if (!node.is_call(backends::Op::product)) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (graph[node.operands[i]].kind != Kind::transpose) continue;
      node.operands[i] = graph[node.operands[i]].operands[0];
      bool& transposes = i == 0 ? node.request.transpose_a : node.request.transpose_b;
      transposes = !transposes;
      ++fired;
    }
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
