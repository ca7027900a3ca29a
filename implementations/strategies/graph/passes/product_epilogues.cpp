// The bias and the activation behind a product become its epilogues, where the backend's product takes them.
#include "implementations/backends/common/backend.h"
#include "implementations/strategies/graph/passes/moving.h"
#include "implementations/strategies/graph/passes/pass.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

// A product to which something may be appended and whose value only the appended node reads.
bool is_open_product(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  return node.is_call(Op::product) && !node.request.epilogue_update &&
         node.request.epilogue_activation == catalogue::Activation::identity && graph.has_one_use(id);
}

// Turns `id` into the product that it reads.
void absorb(Graph& graph, NodeId id, NodeId product) {
  graph[id].request = graph[product].request;
  graph[id].operands = graph[product].operands;
  graph[id].about = both(graph[id].about, graph[product].about);
  graph.erase(product);
}

bool append_bias(Graph& graph, NodeId id) {
  const NodeId bias = graph[id].operands[0];
  const NodeId product = graph[id].operands[1];
  if (!is_open_product(graph, product) || graph[product].request.epilogue_bias) return false;
  if (!can_run_after(graph, product, id, id)) return false;
  absorb(graph, id, product);
  graph[id].operands.push_back(bias);
  graph[id].request.epilogue_bias = true;
  return true;
}

bool append_activation(Graph& graph, NodeId id) {
  const NodeId product = graph[id].operands[0];
  if (!is_open_product(graph, product) || !can_run_after(graph, product, id, id)) return false;
  const catalogue::Activation activation = graph[id].request.activation;
  absorb(graph, id, product);
  graph[id].request.epilogue_activation = activation;
  return true;
}

}  // namespace

std::int64_t form_product_epilogues(Graph& graph, const Target& target) {
  const bool takes_bias = (target.backend_flags & backends::kEpilogueBias) != 0;
  const bool takes_activation = (target.backend_flags & backends::kEpilogueActivation) != 0;
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (takes_bias && graph[id].is_call(Op::add_bias)) fired += append_bias(graph, id) ? 1 : 0;
    if (takes_activation && graph[id].is_call(Op::activation)) fired += append_activation(graph, id) ? 1 : 0;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
