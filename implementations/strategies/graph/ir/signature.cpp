#include "implementations/strategies/graph/ir/signature.h"

#include <algorithm>

#include "implementations/backends/common/operands.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;
using backends::Use;

}  // namespace

Signature signature_of(const Node& node) {
  const std::vector<backends::OperandRow> rows = backends::operands_of(node.request);
  const std::size_t result = backends::result_of(rows);
  const std::uint32_t may_alias = ops::row_of(node.request.op).may_alias;
  Signature signature;
  std::size_t next = 0;  // of the node's operands
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].use == Use::unread) {
      signature.kernel_operands.push_back(0);
    } else if (i == result) {
      signature.kernel_operands.push_back(Signature::kResult);
      if (rows[i].use == Use::updated) signature.tied = next++;
    } else {
      if ((may_alias >> next & 1) != 0) signature.may_alias.push_back(next);
      signature.kernel_operands.push_back(next++);
    }
  }
  signature.operand_count = next;
  return signature;
}

std::vector<std::size_t> written_operands(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  std::vector<std::size_t> written;
  const bool layer_update = node.is_call(Op::product) && node.request.epilogue_update;
  if (node.kind == Kind::update_all || node.is_call(Op::update) || layer_update) {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (graph[node.operands[i]].is_state()) written.push_back(i);
    }
  } else if (node.kind == Kind::call) {
    const Signature signature = signature_of(node);
    if (signature.tied) written.push_back(*signature.tied);
  }
  return written;
}

bool has_effect(const Graph& graph, NodeId id) {
  if (graph[id].kind == Kind::gradients) return true;
  const std::vector<std::size_t> written = written_operands(graph, id);
  return std::any_of(written.begin(), written.end(),
                     [&](std::size_t i) { return graph[graph[id].operands[i]].is_state(); });
}

bool can_run_after(const Graph& graph, NodeId node, NodeId where, NodeId except) {
  const std::vector<NodeId>& reads = graph[node].operands;
  const std::size_t last = graph.position(where);
  for (std::size_t at = graph.position(node) + 1; at <= last; ++at) {
    const NodeId other = graph.order()[at];
    if (other == except) continue;
    for (const std::size_t i : written_operands(graph, other)) {
      const NodeId written = graph[other].operands[i];
      if (graph[written].is_state() && std::find(reads.begin(), reads.end(), written) != reads.end()) return false;
    }
  }
  return true;
}

}  // namespace gdbench::strategies::graph
