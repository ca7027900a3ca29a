// Computes at compile time what depends on constants alone. Constants have one value in all entries, so that folding an
// elementwise op costs no memory; sums and products of constants are of the same kind.
#include <cmath>
#include <optional>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/strategies/graph/passes/pass.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

// The value of every entry of a node whose operands are constants; nothing for what has no such value.
std::optional<double> value_of(const Graph& graph, const Node& node) {
  const auto constant = [&](std::size_t i) { return graph[node.operands[i]].value; };
  if (node.kind == Kind::transpose) return constant(0);
  const backends::Request& request = node.request;
  switch (request.op) {
    case Op::combine:
      return request.alpha * constant(0) + (request.beta == 0 ? 0 : request.beta * constant(1));
    case Op::multiply:
      return constant(0) * constant(1);
    case Op::add_bias:
      return constant(0) + constant(1);
    case Op::activation:
      return catalogue::with(request.activation,
                             [&](auto activation) { return backends::RuleOf<activation.value>::value(constant(0)); });
    case Op::column_sum:
      return static_cast<double>(graph[node.operands[0]].shape.rows) * constant(0);
    default:
      return std::nullopt;
  }
}

bool is_foldable(const Graph& graph, const Node& node) {
  if (node.kind != Kind::call && node.kind != Kind::transpose) return false;
  for (const NodeId operand : node.operands) {
    if (graph[operand].kind != Kind::constant) return false;
  }
  return true;
}

}  // namespace

std::int64_t fold_constants(Graph& graph, const Target& /*target*/) {
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (!is_foldable(graph, graph[id])) continue;
    const std::optional<double> value = value_of(graph, graph[id]);
    if (!value) continue;
    Node& node = graph[id];
    node.kind = Kind::constant;
    node.value = *value;
    node.operands.clear();
    ++fired;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
