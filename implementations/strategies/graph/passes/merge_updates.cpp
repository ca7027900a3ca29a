// One call updates all parameters: their values, gradients and slots lie in blocks of one layout, and an update is
// elementwise. Fires where every parameter has an update of its own still.
#include <algorithm>

#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/passes/pipeline.h"

namespace gdbench::strategies::graph {

std::int64_t merge_updates(Graph& graph, const Target& target) {
  if (target.region) return 0;  // there an update belongs to the product of its gradient
  std::vector<NodeId> updates;
  std::size_t changes = 0;
  for (const NodeId id : graph.order()) {
    if (!has_effect(graph, id)) continue;
    ++changes;
    if (graph[id].is_call(backends::Op::update)) updates.push_back(id);
  }
  if (updates.size() < 2 || updates.size() != changes) return 0;
  std::sort(updates.begin(), updates.end(), [&](NodeId a, NodeId b) {
    return graph[graph[a].operands[2]].parameter < graph[graph[b].operands[2]].parameter;
  });

  Node merged;
  merged.kind = Kind::update_all;
  merged.phase = catalogue::Phase::update;
  merged.element = Element::real;
  merged.request = graph[updates[0]].request;
  merged.operands.push_back(graph[updates[0]].operands[1]);
  for (const NodeId update : updates) {
    const std::vector<NodeId>& operands = graph[update].operands;
    merged.operands.push_back(operands[0]);
    merged.operands.insert(merged.operands.end(), operands.begin() + 2, operands.end());
  }
  merged.shape = {1, 1};
  const NodeId last = *std::max_element(updates.begin(), updates.end(),
                                        [&](NodeId a, NodeId b) { return graph.position(a) < graph.position(b); });
  graph.insert_after(last, merged);
  for (const NodeId update : updates) graph.erase(update);
  return static_cast<std::int64_t>(updates.size());
}

}  // namespace gdbench::strategies::graph
