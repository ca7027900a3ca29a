#include "implementations/strategies/graph/ir/signature.h"

#include <algorithm>

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

constexpr std::size_t kResult = Signature::kResult;

Signature product_signature(const backends::Request& request, std::size_t operands) {
  const bool overwrites = request.beta != 0 || request.epilogue_update;
  Signature signature{{0, 1, kResult}, std::nullopt, {}};
  if (overwrites) signature.tied = 2;
  for (std::size_t i = overwrites ? 3 : 2; i < operands; ++i) signature.kernel_operands.push_back(i);
  return signature;
}

}  // namespace

Signature signature_of(const Node& node) {
  const backends::Request& request = node.request;
  if (request.op == Op::product) return product_signature(request, node.operands.size());
  if (request.op == Op::combine && request.beta == 0) return {{0, 0, kResult}, std::nullopt, {0}};
  const ops::OpRow& row = ops::row_of(request.op);
  Signature signature;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const bool overwritten = row.overwrites == static_cast<int>(i);
    signature.kernel_operands.push_back(overwritten ? kResult : i);
    if (overwritten) {
      signature.tied = i;
    } else if ((row.may_alias >> i & 1) != 0) {
      signature.may_alias.push_back(i);
    }
  }
  if (row.overwrites < 0) signature.kernel_operands.push_back(kResult);
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
