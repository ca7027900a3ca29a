// Elementwise work that today's kernels do in passing: a product scales its result (alpha) and accumulates (beta).
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/passes/pipeline.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

// A product that is nothing more, and whose value has one reader.
bool is_private_product(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  return node.is_call(Op::product) && !has_epilogue(node.request) && graph.has_one_use(id);
}

// factor * (A B) with the factor in alpha, in the place of the scaling.
bool scale_result(Graph& graph, NodeId id) {
  const NodeId product = graph[id].operands[0];
  if (!is_private_product(graph, product) || !can_run_after(graph, product, id, id)) return false;
  const double factor = graph[id].request.alpha;
  graph[id].request = graph[product].request;
  graph[id].request.alpha *= factor;
  graph[id].request.beta *= factor;
  graph[id].operands = graph[product].operands;
  graph[id].phase = graph[product].phase;
  graph[id].about = both(graph[id].about, graph[product].about);
  graph.erase(product);
  return true;
}

// (factor A) B with the factor in alpha; but not where a mixed product rounds factor A.
bool scale_operand(Graph& graph, NodeId id) {
  Node& node = graph[id];
  if (catalogue::is_mixed(node.request.dtype)) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node& operand = graph[node.operands[i]];
    if (!operand.is_scaling()) continue;
    node.request.alpha *= operand.request.alpha;
    node.operands[i] = operand.operands[0];
    return true;
  }
  return false;
}

// factor * (A B) + other * C as one product that accumulates into C, which no other node may read. Of two products the
// later one moves: A and B are needed until then.
bool accumulate(Graph& graph, NodeId id) {
  const std::vector<NodeId>& terms = graph[id].operands;
  const std::size_t later = graph.position(terms[1]) > graph.position(terms[0]) ? 1 : 0;
  for (const std::size_t i : {later, 1 - later}) {
    const NodeId product = graph[id].operands[i];
    const NodeId sum = graph[id].operands[1 - i];
    const bool overwritable = graph.has_one_use(sum) && graph[sum].kind == Kind::call;
    if (!is_private_product(graph, product) || graph[product].request.beta != 0 || !overwritable) continue;
    if (!can_run_after(graph, product, id, id)) continue;
    const double factor = i == 0 ? graph[id].request.alpha : graph[id].request.beta;
    const double other = i == 0 ? graph[id].request.beta : graph[id].request.alpha;
    graph[id].request = graph[product].request;
    graph[id].request.alpha *= factor;
    graph[id].request.beta = other;
    graph[id].operands = {graph[product].operands[0], graph[product].operands[1], sum};
    graph[id].about = both(graph[id].about, graph[product].about);
    graph.erase(product);
    return true;
  }
  return false;
}

bool fuse(Graph& graph, NodeId id) {
  if (graph[id].is_call(Op::product)) return scale_operand(graph, id);
  if (!graph[id].is_call(Op::combine)) return false;
  return graph[id].is_scaling() ? scale_result(graph, id) : accumulate(graph, id);
}

}  // namespace

std::int64_t fuse_elementwise(Graph& graph, const Target& /*target*/) {
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    while (graph.alive(id) && fuse(graph, id)) ++fired;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
