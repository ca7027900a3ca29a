#include "implementations/strategies/graph/plan/copies.h"

#include <algorithm>

#include "implementations/strategies/graph/ir/signature.h"

namespace gdbench::strategies::graph {
namespace {

// Whether `user` may overwrite the memory of an operand.
bool is_last_use(const Graph& graph, NodeId value, NodeId user) {
  const Kind kind = graph[value].kind;
  if (kind == Kind::constant || (kind == Kind::input && !graph[value].is_state()) || graph.is_output(value))
    return false;
  const std::vector<NodeId>& operands = graph[user].operands;
  return graph.users(value).back() == user && std::count(operands.begin(), operands.end(), value) == 1;
}

// Whether update_all finds an input where it lies: scalars and gradients that are given.
bool is_in_place(const Node& node) {
  return node.element == Element::scalars || (node.kind == Kind::input && node.role == Role::gradient);
}

void copy_operand(Graph& graph, NodeId user, std::size_t operand) {
  const NodeId value = graph[user].operands[operand];
  Node copy;
  copy.shape = graph[value].shape;
  copy.element = graph[value].element;
  copy.phase = graph[user].phase;
  copy.about = graph[user].about;
  copy.operands = {value};
  copy.request.op = backends::Op::combine;
  copy.request.dtype = graph[user].request.dtype;
  const NodeId copied = graph.insert_before(user, copy);
  graph[user].operands[operand] = copied;
}

}  // namespace

std::int64_t insert_copies(Graph& graph) {
  std::int64_t copies = 0;
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    const bool merged = graph[id].kind == Kind::update_all;
    for (std::size_t i = 0; i < graph[id].operands.size(); ++i) {
      const NodeId value = graph[id].operands[i];
      if (graph[value].is_state() || (merged && is_in_place(graph[value]))) continue;
      if (!merged) {
        const std::vector<std::size_t> written = written_operands(graph, id);
        if (std::find(written.begin(), written.end(), i) == written.end()) continue;
      }
      if (is_last_use(graph, value, id)) continue;
      copy_operand(graph, id, i);
      ++copies;
    }
  }
  return copies;
}

}  // namespace gdbench::strategies::graph
