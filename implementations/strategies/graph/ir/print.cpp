#include "implementations/strategies/graph/ir/print.h"

#include <sstream>

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string part_text(const Node& node) { return node.part == 0 ? "" : " of part " + std::to_string(node.part); }

std::string input_name(const Node& node) {
  switch (node.role) {
    case Role::x:
      return "x" + part_text(node);
    case Role::targets:
      return "targets" + part_text(node);
    case Role::gradient:
      return "gradient of parameter " + std::to_string(node.parameter);
    case Role::scalars:
      return "scalars";
    case Role::mask:
      return "mask of column " + std::to_string(node.column);
    case Role::parameter:
      return "parameter " + std::to_string(node.parameter);
    case Role::slot:
      return "slot " + std::to_string(node.slot) + " of parameter " + std::to_string(node.parameter);
  }
  return "input";
}

std::string attribute_text(const backends::Request& request) {
  std::string text;
  const auto append = [&](const std::string& attribute) { text += (text.empty() ? "" : ", ") + attribute; };
  if (request.op == Op::activation || request.op == Op::activation_gradient) append(name_of(request.activation));
  if (request.op == Op::loss || request.op == Op::loss_gradient) append(name_of(request.loss.kind));
  if (request.transpose_a) append("transpose_a");
  if (request.transpose_b) append("transpose_b");
  if (request.alpha != 1) append("alpha " + number(request.alpha));
  if (request.beta != 0) append("beta " + number(request.beta));
  if (request.epilogue_bias) append("bias");
  if (request.epilogue_activation != catalogue::Activation::identity) append(name_of(request.epilogue_activation));
  if (request.epilogue_update) append("update");
  if (request.epilogue_activation_gradient) append("gradient of " + std::string(name_of(request.activation)));
  if (request.epilogue_loss_gradient) append("gradient of " + std::string(name_of(request.loss.kind)));
  return text.empty() ? "" : "[" + text + "]";
}

// What a node is, without operands and shape.
std::string label_of(const Node& node) {
  switch (node.kind) {
    case Kind::input:
      return input_name(node);
    case Kind::constant:
      return "constant " + number(node.value);
    case Kind::transpose:
      return "transpose";
    case Kind::update_all:
      return "update_all";
    case Kind::gradients:
      return "gradients from parameter " + std::to_string(node.parameter);
    case Kind::call:
      break;
  }
  return backends::name_of(node.request.op) + attribute_text(node.request);
}

std::string shape_of(const Node& node) {
  return std::to_string(node.shape.rows) + "x" + std::to_string(node.shape.columns);
}

const char* colour_of(const Node& node) {
  if (node.kind == Kind::input) return "lightgrey";
  if (node.kind == Kind::constant) return "white";
  if (node.phase == catalogue::Phase::forward) return "lightblue";
  return node.phase == catalogue::Phase::backward ? "lightsalmon" : "lightgreen";
}

}  // namespace

std::string text_of(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  std::string text = "%" + std::to_string(id) + " = " + label_of(node);
  for (const NodeId operand : node.operands) text += " %" + std::to_string(operand);
  text += " : " + shape_of(node);
  if (node.kind != Kind::input && node.kind != Kind::constant) text += std::string(", ") + name_of(node.phase);
  return text;
}

std::string text_of(const Graph& graph) {
  std::string text;
  for (const NodeId id : graph.order()) text += text_of(graph, id) + "\n";
  for (const Output& output : graph.outputs()) {
    text += "output " + output.name + " = %" + std::to_string(output.node) + "\n";
  }
  return text;
}

std::string dot_of(const Graph& graph, const std::string& title) {
  std::ostringstream dot;
  dot << "digraph \"" << title << "\" {\n  label=\"" << title << "\";\n  node [shape=box, style=filled];\n";
  for (const NodeId id : graph.order()) {
    const Node& node = graph[id];
    dot << "  n" << id << " [label=\"%" << id << " " << label_of(node) << "\\n"
        << shape_of(node) << "\", fillcolor=" << colour_of(node) << (node.kind == Kind::input ? ", shape=ellipse" : "")
        << "];\n";
    for (const NodeId operand : node.operands) dot << "  n" << operand << " -> n" << id << ";\n";
  }
  for (const Output& output : graph.outputs()) {
    dot << "  \"" << output.name << "\" [shape=plaintext, style=\"\"];\n  n" << output.node << " -> \"" << output.name
        << "\";\n";
  }
  dot << "}\n";
  return dot.str();
}

}  // namespace gdbench::strategies::graph
