#include "implementations/backends/jit/region/region.h"

#include <algorithm>
#include <string>

#include "implementations/backends/common/rules/updates.h"

namespace gdbench::backends::jit {

Scalar scalar_of(Dtype dtype) { return dtype == Dtype::f64 ? Scalar::f64 : Scalar::f32; }

std::optional<NodeIndex> Region::producer(ValueId value) const {
  for (NodeIndex i = 0; i < nodes.size(); ++i) {
    if (nodes[i].result == value) return i;
  }
  return {};
}

std::vector<NodeIndex> Region::readers(ValueId value) const {
  std::vector<NodeIndex> readers;
  for (NodeIndex i = 0; i < nodes.size(); ++i) {
    if (std::ranges::find(nodes[i].operands, value) != nodes[i].operands.end()) readers.push_back(i);
  }
  return readers;
}

ValueId Region::unrounded(ValueId parameter) const {
  const auto is_source = [&](const Value& value) {
    return value.role == RegionRole::parameter && value.is_state() && value.offset == values[parameter].offset;
  };
  return static_cast<ValueId>(std::ranges::find_if(values, is_source) - values.begin());
}

ValueId Region::add_value(const Value& value) {
  values.push_back(value);
  return static_cast<ValueId>(values.size() - 1);
}

void Region::add_node(const Request& request, std::vector<ValueId> operands, ValueId result) {
  nodes.push_back({request, std::move(operands), result});
  Node& node = nodes.back();
  node.request.operand_count = node.operands.size();
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Value& operand = values[node.operands[i]];
    node.request.operands[i] = {operand.rows, operand.columns};
  }
}

std::string unsupported_reason(const TrainingRegion& training) {
  if (training.graph == nullptr) return "only steps that are given as a graph are supported";
  for (std::size_t i = 0; i < training.graph->node_count; ++i) {
    const Request& request = training.graph->nodes[i].request;
    if (request.op == Op::loss || request.op == Op::gather) {
      return std::string(backends::name_of(request.op)) + " within a region is not supported";
    }
    if (request.moves_as_matrix) return "updates of matrices are not supported";
    if (has_epilogue(request)) {
      return "only epilogues of its own are supported";
    }
  }
  return {};
}

Region region_of(const TrainingRegion& training) {
  const RegionGraph& graph = *training.graph;
  Region region;
  region.real = scalar_of(training.dtype);
  region.mixed = catalogue::is_mixed(training.dtype);
  region.gathered = training.gathers;
  region.batch_rows = training.rows;
  region.slots = catalogue::slot_count(catalogue::kind_of(*training.optimizer));
  region.constant_batch = training.constant_x != nullptr && training.constant_targets != nullptr;
  for (std::size_t i = 0; i < graph.value_count; ++i) region.values.push_back({graph.values[i]});
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    const RegionNode& from = graph.nodes[i];
    region.add_node(from.request, {from.operands, from.operands + from.operand_count}, from.result);
  }
  return region;
}

std::string Region::name_of(ValueId id) const {
  const Value& value = values[id];
  const auto numbered = [](const char* name, std::int64_t number) { return name + std::to_string(number); };
  switch (value.role) {
    case RegionRole::x:
      return value.first_row == 0 ? "x" : numbered("x_from_row_", value.first_row);
    case RegionRole::targets:
      return value.first_row == 0 ? "targets" : numbered("targets_from_row_", value.first_row);
    case RegionRole::parameter:
      return numbered(value.rounded ? "rounded_parameter_" : "parameter_", value.offset);
    case RegionRole::slot:
      return numbered("slot_", static_cast<std::int64_t>(value.slot)) + numbered("_", value.offset);
    case RegionRole::gradient:
      return numbered("gradient_", value.offset);
    case RegionRole::scalars:
      return "scalars";
    case RegionRole::result:
      break;
  }
  return numbered("v", id);
}

std::string text_of(const Region& region, const Node& node) {
  const RegionValue& result = region[node.result];
  std::string text = region.name_of(node.result) + " = " + (node.rounds ? "round" : backends::name_of(node.op()));
  if (node.request.transpose_a) text += "[transpose_a]";
  if (node.request.transpose_b) text += "[transpose_b]";
  text += "(";
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    text += (i == 0 ? "" : ", ") + region.name_of(node.operands[i]);
  }
  return text + "): " + std::to_string(result.rows) + "x" + std::to_string(result.columns);
}

std::string text_of(const Region& region) {
  std::string text;
  for (const Node& node : region.nodes) text += text_of(region, node) + "\n";
  return text;
}

}  // namespace gdbench::backends::jit
