// Removes what is computed twice, or is not read.
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/passes/pipeline.h"

namespace gdbench::strategies::graph {
namespace {

bool same_attributes(const backends::Request& a, const backends::Request& b) {
  return a.op == b.op && a.dtype == b.dtype && a.transpose_a == b.transpose_a && a.transpose_b == b.transpose_b &&
         a.alpha == b.alpha && a.beta == b.beta && a.activation == b.activation && a.loss == b.loss &&
         a.epilogue_bias == b.epilogue_bias && a.epilogue_activation == b.epilogue_activation &&
         a.epilogue_update == b.epilogue_update && a.epilogue_activation_gradient == b.epilogue_activation_gradient &&
         a.epilogue_loss_gradient == b.epilogue_loss_gradient;
}

bool same_value(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.shape != b.shape || a.element != b.element || a.operands != b.operands) return false;
  if (a.kind == Kind::constant) return a.value == b.value;
  if (a.kind == Kind::transpose) return true;
  return a.kind == Kind::call && same_attributes(a.request, b.request);
}

}  // namespace

// Two nodes that compute the same from the same become one.
std::int64_t merge_common_subexpressions(Graph& graph, const Target& /*target*/) {
  std::int64_t fired = 0;
  std::vector<NodeId> kept;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    // A parameter's readers see the value from before its update, which has no reader after it: no node comes between
    // two that may be merged.
    const auto twin = has_effect(graph, id) ? kept.end() : [&] {
      auto found = kept.begin();
      while (found != kept.end() && !same_value(graph[*found], graph[id])) ++found;
      return found;
    }();
    if (twin == kept.end()) {
      if (!has_effect(graph, id)) kept.push_back(id);
      continue;
    }
    graph[*twin].about = both(graph[*twin].about, graph[id].about);
    graph.replace_uses(id, *twin);
    graph.erase(id);
    ++fired;
  }
  return fired;
}

// Removes what no output and no update needs: the loss of a step, the gradient of the data.
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
