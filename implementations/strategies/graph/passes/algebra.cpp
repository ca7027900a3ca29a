// Rewrites by identities of arithmetic: x * 1, x + 0, 1 x + 0 y, a (b x), identity activations, and products that are
// scaled by 0.
#include <optional>

#include "implementations/strategies/graph/passes/pass.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

bool is_constant(const Graph& graph, NodeId node, double value) {
  return graph[node].kind == Kind::constant && graph[node].value == value;
}

bool is_scaling(const Node& node) { return node.is_call(Op::combine) && node.request.beta == 0; }

// The value that a node merely repeats.
std::optional<NodeId> repeated_value(const Graph& graph, const Node& node) {
  if (node.kind != Kind::call) return std::nullopt;
  const backends::Request& request = node.request;
  switch (request.op) {
    case Op::combine:
      if (request.beta == 0 && request.alpha == 1) return node.operands[0];
      break;
    case Op::multiply:
      if (is_constant(graph, node.operands[0], 1)) return node.operands[1];
      if (is_constant(graph, node.operands[1], 1)) return node.operands[0];
      break;
    case Op::add_bias:
      if (is_constant(graph, node.operands[0], 0)) return node.operands[1];
      break;
    case Op::activation:
      if (request.activation == catalogue::Activation::identity) return node.operands[0];
      break;
    case Op::activation_gradient:
      if (request.activation == catalogue::Activation::identity) return node.operands[1];
      break;
    default:
      break;
  }
  return std::nullopt;
}

// Rewrites within a combination of two values: terms that are zero go, a scaling of a term joins its factor, and two
// multiples of one value become one.
bool simplify_combination(Graph& graph, Node& node) {
  backends::Request& request = node.request;
  const bool two_terms = request.beta != 0;
  if (two_terms && (is_constant(graph, node.operands[1], 0))) {
    request.beta = 0;
    node.operands.pop_back();
    return true;
  }
  if (two_terms && (request.alpha == 0 || is_constant(graph, node.operands[0], 0))) {
    request.alpha = request.beta;
    request.beta = 0;
    node.operands.erase(node.operands.begin());
    return true;
  }
  if (two_terms && node.operands[0] == node.operands[1]) {
    request.alpha += request.beta;
    request.beta = 0;
    node.operands.pop_back();
    return true;
  }
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Node& term = graph[node.operands[i]];
    if (!is_scaling(term)) continue;
    (i == 0 ? request.alpha : request.beta) *= term.request.alpha;
    node.operands[i] = term.operands[0];
    return true;
  }
  return false;
}

// A product by a constant is a scaling.
bool simplify_multiplication(const Graph& graph, Node& node) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Node& factor = graph[node.operands[i]];
    if (factor.kind != Kind::constant) continue;
    node.request.op = Op::combine;
    node.request.alpha = factor.value;
    node.request.beta = 0;
    node.operands = {node.operands[1 - i]};
    return true;
  }
  return false;
}

// C with a factor of 0 is not read.
bool simplify_accumulation(const Graph& graph, Node& node) {
  if (node.request.beta == 0 || !is_constant(graph, node.operands[2], 0)) return false;
  node.request.beta = 0;
  node.operands.erase(node.operands.begin() + 2);
  return true;
}

bool simplify(Graph& graph, NodeId id) {
  Node& node = graph[id];
  if (const std::optional<NodeId> value = repeated_value(graph, node)) {
    graph.replace_uses(id, *value);
    graph.erase(id);
    return true;
  }
  if (node.is_call(Op::combine)) return simplify_combination(graph, node);
  if (node.is_call(Op::multiply)) return simplify_multiplication(graph, node);
  return node.is_call(Op::product) && simplify_accumulation(graph, node);
}

}  // namespace

std::int64_t simplify_algebra(Graph& graph, const Target& /*target*/) {
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    while (graph.alive(id) && simplify(graph, id)) ++fired;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
