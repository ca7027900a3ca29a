#include "implementations/strategies/graph/region_description.h"

#include "implementations/common/failure.h"

namespace gdbench::strategies::graph {

using backends::RegionRole;
using backends::RegionValue;
using implementations::Failure;

namespace {

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
    case Role::gradient:
      return RegionRole::gradient;
    case Role::scalars:
      return RegionRole::scalars;
    case Role::mask:
      break;
  }
  throw Failure(GDBENCH_UNSUPPORTED, "regions of other tasks than train");
}

RegionValue value_of(const Node& node, const Parameters& parameters, const std::vector<MicroBatch>& parts) {
  RegionValue value;
  value.rows = node.shape.rows;
  value.columns = node.shape.columns;
  if (node.kind == Kind::input) value.role = role_of(node.role);
  if (node.is_state() || value.role == RegionRole::gradient) value.offset = parameters.offset(node.parameter);
  if (value.role == RegionRole::slot) value.slot = node.slot;
  if (value.role == RegionRole::x || value.role == RegionRole::targets) value.first_row = parts[node.part].first;
  return value;
}

}  // namespace

RegionDescription::RegionDescription(const Graph& graph, const Parameters& parameters,
                                     const std::vector<MicroBatch>& parts)
    : numbers_(graph.id_count()) {
  for (const NodeId id : graph.order()) {
    const Node& node = graph[id];
    if (node.kind == Kind::gradients) {
      keep_gradients(graph, node, parameters);
      continue;
    }
    if (node.kind != Kind::input && node.kind != Kind::call) {
      throw Failure(GDBENCH_UNSUPPORTED, "regions with constants, transposes or merged updates");
    }
    numbers_[id] = add_value(value_of(node, parameters, parts));
    if (node.kind == Kind::call) add_call(node, numbers_[id]);
  }
}

std::uint32_t RegionDescription::add_value(const RegionValue& value) {
  values_.push_back(value);
  return static_cast<std::uint32_t>(values_.size() - 1);
}

void RegionDescription::add_call(const Node& node, std::uint32_t result) {
  backends::RegionNode described;
  described.request = node.request;
  described.operand_count = node.operands.size();
  for (std::size_t i = 0; i < node.operands.size(); ++i) described.operands[i] = numbers_[node.operands[i]];
  described.result = result;
  nodes_.push_back(described);
}

void RegionDescription::keep_gradients(const Graph& graph, const Node& node, const Parameters& parameters) {
  if (!kept_by_) kept_by_ = add_value({.role = RegionRole::scalars, .rows = 1, .columns = 1});
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Node& gradient = graph[node.operands[i]];
    RegionValue kept{.role = RegionRole::gradient, .rows = gradient.shape.rows, .columns = gradient.shape.columns};
    kept.offset = parameters.offset(node.parameter + i);
    backends::RegionNode update;
    update.request.op = backends::Op::update;
    update.request.dtype = gradient.request.dtype;
    update.operand_count = 3;
    update.operands[0] = numbers_[node.operands[i]];
    update.operands[1] = *kept_by_;
    update.operands[2] = add_value(kept);
    update.result = add_value({.rows = kept.rows, .columns = kept.columns});
    nodes_.push_back(update);
  }
}

}  // namespace gdbench::strategies::graph
