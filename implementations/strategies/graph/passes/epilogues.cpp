// What follows a product becomes its epilogue, where the backend's product takes it: a bias, an activation, the
// gradient of either, an update.
#include <algorithm>
#include <limits>

#include "implementations/backends/common/backend.h"
#include "implementations/strategies/graph/ir/signature.h"
#include "implementations/strategies/graph/passes/pipeline.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

// A product, with a bias at most, to which something may be appended and whose value only the appended node reads.
bool is_open_product(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  if (!node.is_call(Op::product) || !graph.has_one_use(id)) return false;
  backends::Request without_bias = node.request;
  without_bias.epilogue_bias = false;
  return !has_epilogue(without_bias);
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

bool append_activation_gradient(Graph& graph, NodeId id) {
  const NodeId argument = graph[id].operands[0];
  const NodeId product = graph[id].operands[1];
  if (argument == product || !is_open_product(graph, product) || graph[product].request.epilogue_bias) return false;
  if (graph[product].request.beta != 0 || !can_run_after(graph, product, id, id)) return false;
  const catalogue::Activation activation = graph[id].request.activation;
  absorb(graph, id, product);
  graph[id].operands.push_back(argument);
  graph[id].request.activation = activation;
  graph[id].request.epilogue_activation_gradient = true;
  return true;
}

bool append_loss_gradient(Graph& graph, NodeId id) {
  const backends::Request gradient = graph[id].request;
  const NodeId product = graph[id].operands[0];
  const NodeId targets = graph[id].operands[1];
  if (catalogue::row_of(gradient.loss.kind).couples_columns || targets == product) return false;
  if (!is_open_product(graph, product) || !can_run_after(graph, product, id, id)) return false;
  if (graph[product].request.alpha != 1 || graph[product].request.beta != 0) return false;
  graph[id].phase = graph[product].phase;
  absorb(graph, id, product);
  graph[id].operands.push_back(targets);
  graph[id].request.alpha = gradient.alpha;
  graph[id].request.loss = gradient.loss;
  graph[id].request.epilogue_loss_gradient = true;
  return true;
}

bool is_plain_product(const Node& node) {
  const backends::Request& request = node.request;
  return node.is_call(Op::product) && request.alpha == 1 && request.beta == 0 && !has_epilogue(request);
}

// How many terms each entry of a product sums.
std::int64_t depth_of(const Graph& graph, NodeId product) {
  const Shape& a = graph[graph[product].operands[0]].shape;
  return graph[product].request.transpose_a ? a.rows : a.columns;
}

// With kEpilogueUpdate a kernel may add term after term to W, and each addition rounds at the magnitude of W instead of
// the gradient's. Deeper sums are made apart from W, and all of a mixed dtype, where those roundings may come to more
// than rounding the operands does.
constexpr std::int64_t kDeepest = 64;

bool append_update(Graph& graph, NodeId update, std::int64_t deepest) {
  const NodeId product = graph[update].operands[0];
  const NodeId weights = graph[update].operands[2];
  if (!is_plain_product(graph[product]) || !graph.has_one_use(product)) return false;
  if (graph[update].request.moves_as_matrix) return false;
  if (depth_of(graph, product) > deepest) return false;
  const std::vector<NodeId>& reads = graph[product].operands;
  if (std::find(reads.begin(), reads.end(), weights) != reads.end()) return false;

  NodeId last = product;
  for (const NodeId reader : graph.users(weights)) {
    if (reader != update && graph.position(reader) > graph.position(last)) last = reader;
  }
  if (!can_run_after(graph, product, last, update)) return false;

  const gdbench_optimizer* optimizer = graph[update].request.optimizer;
  std::vector<NodeId> operands = graph[product].operands;
  operands.push_back(weights);
  operands.push_back(graph[update].operands[1]);
  operands.insert(operands.end(), graph[update].operands.begin() + 3, graph[update].operands.end());
  graph[update].request = graph[product].request;
  graph[update].request.optimizer = optimizer;
  graph[update].request.epilogue_update = true;
  graph[update].operands = operands;
  graph[update].phase = graph[product].phase;
  graph[update].about = both(graph[update].about, graph[product].about);
  graph.move_after(update, last);
  graph.erase(product);
  return true;
}

// The update of weights by a product with `gradients`, to which that of their bias by column sums can be appended.
bool is_open_update(const Node& node, NodeId gradients) {
  const backends::Request& request = node.request;
  return node.is_call(Op::product) && request.epilogue_update && !request.epilogue_bias && !request.transpose_b &&
         node.operands[1] == gradients;
}

bool append_bias_update(Graph& graph, NodeId update) {
  const NodeId sum = graph[update].operands[0];
  if (!graph[sum].is_call(Op::column_sum) || !graph.has_one_use(sum)) return false;
  const std::vector<NodeId> users = graph.users(graph[sum].operands[0]);
  const auto found =
      std::ranges::find_if(users, [&](NodeId user) { return is_open_update(graph[user], graph[sum].operands[0]); });
  if (found == users.end()) return false;
  const NodeId weights = *found;
  // Readers of the bias have to come before.
  const NodeId bias = graph[update].operands[2];
  for (const NodeId reader : graph.users(bias)) {
    if (reader != update && graph.position(reader) > graph.position(weights)) return false;
  }
  std::vector<NodeId>& operands = graph[weights].operands;
  operands.insert(operands.end(), graph[update].operands.begin() + 2, graph[update].operands.end());
  graph[weights].request.epilogue_bias = true;
  graph[weights].about = both(graph[weights].about, graph[update].about);
  graph.erase(update);
  graph.erase(sum);
  return true;
}

}  // namespace

// The bias and the activation behind a product, and the gradients of an activation and of a loss.
std::int64_t form_product_epilogues(Graph& graph, const Target& target) {
  struct Epilogue {
    backends::BackendFlag flag;
    Op op;
    bool (*append)(Graph& graph, NodeId id);
  };
  constexpr Epilogue kEpilogues[] = {
      {backends::kEpilogueBias, Op::add_bias, append_bias},
      {backends::kEpilogueActivation, Op::activation, append_activation},
      {backends::kEpilogueGradients, Op::activation_gradient, append_activation_gradient},
      {backends::kEpilogueGradients, Op::loss_gradient, append_loss_gradient},
  };
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    for (const Epilogue& epilogue : kEpilogues) {
      if ((target.backend_flags & epilogue.flag) == 0 || !graph[id].is_call(epilogue.op)) continue;
      fired += epilogue.append(graph, id) ? 1 : 0;
    }
  }
  return fired;
}

// The update of weights becomes the epilogue of the product that computes their gradient, where the backend's product
// takes it, and the gradient is never stored. The product moves behind the last reader of the weights. Where the
// backend takes layers, the update of the bias, whose gradient has the same factor, goes with it.
std::int64_t form_update_epilogues(Graph& graph, const Target& target) {
  const gdbench_optimizer* optimizer = target.optimizer;
  if (optimizer == nullptr) return 0;
  const bool takes_layers = (target.backend_flags & backends::kEpilogueLayerUpdate) != 0;
  const bool plain = catalogue::kind_of(*optimizer) == catalogue::OptimizerKind::sgd && optimizer->weight_decay == 0;
  if (!takes_layers && ((target.backend_flags & backends::kEpilogueUpdate) == 0 || !plain)) return 0;
  const auto deepest = [&](NodeId update) {
    if (takes_layers) return std::numeric_limits<std::int64_t>::max();
    return catalogue::is_mixed(graph[update].request.dtype) ? 1 : kDeepest;
  };
  std::int64_t fired = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (graph[id].is_call(Op::update) && append_update(graph, id, deepest(id))) ++fired;
  }
  if (!takes_layers) return fired;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    if (graph.alive(id) && graph[id].is_call(Op::update) && append_bias_update(graph, id)) ++fired;
  }
  return fired;
}

}  // namespace gdbench::strategies::graph
