#include "implementations/strategies/graph/ir/graph.h"

#include <algorithm>

namespace gdbench::strategies::graph {

ops::Attributes attributes_of(const backends::Request& request) {
  return {request.transpose_a, request.transpose_b, request.alpha,     request.beta,
          request.activation,  request.loss,        request.optimizer, request.moves_as_matrix};
}

NodeId Graph::add(Node node) {
  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(std::move(node));
  order_.push_back(id);
  return id;
}

NodeId Graph::insert_at(std::size_t position, Node node) {
  const NodeId id = add(std::move(node));
  std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(position), order_.end() - 1, order_.end());
  return id;
}

void Graph::move_after(NodeId node, NodeId where) {
  order_.erase(std::find(order_.begin(), order_.end(), node));
  order_.insert(std::find(order_.begin(), order_.end(), where) + 1, node);
}

void Graph::replace_uses(NodeId from, NodeId to) {
  for (const NodeId id : order_) std::replace(nodes_[id].operands.begin(), nodes_[id].operands.end(), from, to);
  for (Output& output : outputs_) {
    if (output.node == from) output.node = to;
  }
}

void Graph::erase(NodeId node) { order_.erase(std::find(order_.begin(), order_.end(), node)); }

bool Graph::alive(NodeId node) const { return std::find(order_.begin(), order_.end(), node) != order_.end(); }

std::size_t Graph::position(NodeId node) const {
  return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), node) - order_.begin());
}

std::vector<NodeId> Graph::users(NodeId node) const {
  std::vector<NodeId> users;
  for (const NodeId id : order_) {
    const std::vector<NodeId>& operands = nodes_[id].operands;
    if (std::find(operands.begin(), operands.end(), node) != operands.end()) users.push_back(id);
  }
  return users;
}

bool Graph::is_output(NodeId node) const {
  return std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) { return output.node == node; });
}

bool Graph::has_one_use(NodeId node) const {
  std::ptrdiff_t uses = is_output(node) ? 2 : 0;
  for (const NodeId id : order_) uses += std::count(nodes_[id].operands.begin(), nodes_[id].operands.end(), node);
  return uses == 1;
}

}  // namespace gdbench::strategies::graph
