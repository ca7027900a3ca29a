// What follows a product becomes its epilogue, where the backend's product takes it: a bias, an activation, an update.
#include <algorithm>

#include "implementations/backends/common/backend.h"
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/passes/pipeline.h"

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

bool is_plain_product(const Node& node) {
  const backends::Request& request = node.request;
  return node.is_call(Op::product) && request.alpha == 1 && request.beta == 0 && !request.epilogue_bias &&
         !request.epilogue_update && request.epilogue_activation == catalogue::Activation::identity;
}

// How many terms each entry of a product sums.
std::int64_t depth_of(const Graph& graph, NodeId product) {
  const Shape& a = graph[graph[product].operands[0]].shape;
  return graph[product].request.transpose_a ? a.rows : a.columns;
}

// A kernel may add term after term to W, and each addition rounds at the magnitude of W instead of the gradient's. So
// that this stays below what the update itself rounds, deeper sums are made apart from W.
constexpr std::int64_t kDeepest = 64;

bool append_update(Graph& graph, NodeId update) {
  const NodeId product = graph[update].operands[0];
  const NodeId scalars = graph[update].operands[1];
  const NodeId weights = graph[update].operands[2];
  if (!is_plain_product(graph[product]) || !graph.has_one_use(product)) return false;
  if (depth_of(graph, product) > kDeepest) return false;
  const std::vector<NodeId>& reads = graph[product].operands;
  if (std::find(reads.begin(), reads.end(), weights) != reads.end()) return false;

  NodeId last = product;
  for (const NodeId reader : graph.users(weights)) {
    if (reader != update && graph.position(reader) > graph.position(last)) last = reader;
  }
  if (!can_run_after(graph, product, last, update)) return false;

  graph[update].request = graph[product].request;
  graph[update].operands = graph[product].operands;
  graph[update].operands.push_back(weights);
  graph[update].phase = graph[product].phase;
  graph[update].about = both(graph[update].about, graph[product].about);
  graph[update].operands.push_back(scalars);
  graph[update].request.epilogue_update = true;
  graph.move_after(update, last);
  graph.erase(product);
  return true;
}

}  // namespace

// The bias and the activation behind a product.
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

// Plain gradient descent on weights becomes the epilogue of the product that computes their gradient, where the
// backend's product takes it: W -= learning rate * A' D, and the gradient is never stored. The product moves behind the
// last reader of W.
std::int64_t form_update_epilogues(Graph& graph, const Target& target) {
  const gdbench_optimizer* optimizer = target.optimizer;
  if (optimizer == nullptr || catalogue::kind_of(*optimizer) != catalogue::OptimizerKind::sgd ||
      optimizer->weight_decay != 0)
    return 0;
  if ((target.backend_flags & backends::kEpilogueUpdate) == 0) return 0;
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (graph[id].is_call(Op::update) && append_update(graph, id)) ++fired;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
