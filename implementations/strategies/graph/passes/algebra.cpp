// Rewrites by identities of arithmetic and of matrices.
#include <optional>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/strategies/graph/passes/pipeline.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

bool is_constant(const Graph& graph, NodeId node, double value) {
  return graph[node].kind == Kind::constant && graph[node].value == value;
}

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
    if (!term.is_scaling()) continue;
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

// Rewrites by identities of arithmetic: x * 1, x + 0, 1 x + 0 y, a (b x), identity activations, products scaled by 0.
std::int64_t simplify_algebra(Graph& graph, const Target& /*target*/) {
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    while (graph.alive(id) && simplify(graph, id)) ++fired;
  }
  return fired;
}

// Computes at compile time what depends on constants alone. Constants have one value in all entries, so that folding an
// elementwise op costs no memory; sums and products of constants are of the same kind.
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

// Transposes vanish into the products that read them; two in a row cancel. Those of a single row or column change no
// memory, but an elementwise op still needs its operands' shapes to agree, so they are left to products too.
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
