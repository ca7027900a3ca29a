#include "implementations/strategies/graph/region.h"

#include "implementations/common/failure.h"

namespace gdbench::strategies::graph {

namespace {

using backends::RegionRole;
using implementations::Failure;

RegionRole role_of(Role role) {
  switch (role) {
    case Role::x:
      return RegionRole::x;
    case Role::targets:
      return RegionRole::targets;
    case Role::parameter:
      return RegionRole::parameter;
    case Role::slot:
      return RegionRole::slot;
    case Role::scalars:
      return RegionRole::scalars;
    case Role::gradient:
    case Role::mask:
      break;
  }
  throw Failure(GDBENCH_UNSUPPORTED, "regions of other tasks than train");
}

}  // namespace

RegionDescription::RegionDescription(const Graph& graph, const Parameters& parameters,
                                     const std::vector<MicroBatch>& parts)
    : numbers_(graph.id_count()) {
  for (const NodeId id : graph.order()) {
    const Node& node = graph[id];
    if (node.kind != Kind::input && node.kind != Kind::call) {
      throw Failure(GDBENCH_UNSUPPORTED, "regions with constants, transposes or merged updates");
    }
    const std::uint32_t number = add_value(graph, id, parameters, parts);
    if (node.kind == Kind::call) add_node(node, number);
  }
}

std::uint32_t RegionDescription::add_value(const Graph& graph, NodeId id, const Parameters& parameters,
                                           const std::vector<MicroBatch>& parts) {
  const Node& node = graph[id];
  backends::RegionValue value;
  value.rows = node.shape.rows;
  value.columns = node.shape.columns;
  if (node.kind == Kind::input) value.role = role_of(node.role);
  if (node.is_state()) value.offset = parameters.offset(node.parameter);
  if (value.role == RegionRole::slot) value.slot = node.slot;
  if (value.role == RegionRole::x || value.role == RegionRole::targets) value.first_row = parts[node.part].first;
  values_.push_back(value);
  return numbers_[id] = static_cast<std::uint32_t>(values_.size() - 1);
}

void RegionDescription::add_node(const Node& node, std::uint32_t result) {
  backends::RegionNode described;
  described.request = node.request;
  described.operand_count = node.operands.size();
  for (std::size_t i = 0; i < node.operands.size(); ++i) described.operands[i] = numbers_[node.operands[i]];
  described.result = result;
  nodes_.push_back(described);
}

}  // namespace gdbench::strategies::graph
