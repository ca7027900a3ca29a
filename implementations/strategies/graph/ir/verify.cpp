#include "implementations/strategies/graph/ir/verify.h"

#include <algorithm>

#include "implementations/backends/common/operands.h"
#include "implementations/strategies/graph/ir/print.h"
#include "implementations/strategies/graph/ir/signature.h"

namespace gdbench::strategies::graph {
namespace {

using backends::Op;

Shape transposed(const Shape& shape, bool yes) { return yes ? Shape{shape.columns, shape.rows} : shape; }

class Verifier {
 public:
  Verifier(const Graph& graph, Stage stage) : graph_(graph), stage_(stage), seen_(graph.id_count(), false) {}

  std::string run() {
    for (const NodeId id : graph_.order()) {
      if (id >= seen_.size() || seen_[id]) return "node " + std::to_string(id) + " is in the order twice";
      if (const std::string error = check(id); !error.empty()) return text_of(graph_, id) + ": " + error;
      seen_[id] = true;
    }
    for (const Output& output : graph_.outputs()) {
      if (!seen_[output.node]) return "output " + output.name + " is no node of the graph";
    }
    return hazard();
  }

 private:
  const Node& operand(const Node& node, std::size_t i) const { return graph_[node.operands[i]]; }
  Shape shape(const Node& node, std::size_t i) const { return operand(node, i).shape; }

  std::string check(NodeId id) const {
    const Node& node = graph_[id];
    for (const NodeId used : node.operands) {
      if (used >= seen_.size() || !seen_[used]) return "%" + std::to_string(used) + " is not computed before it";
    }
    if (node.shape.rows < 1 || node.shape.columns < 1) return "an empty shape";
    switch (node.kind) {
      case Kind::input:
      case Kind::constant:
        return node.operands.empty() ? "" : "operands where none are expected";
      case Kind::transpose:
        if (node.operands.size() != 1) return "expected 1 operand";
        if (stage_ == Stage::executable) return "no backend has a kernel for transpose";
        return node.shape == transposed(shape(node, 0), true) ? "" : "not its operand's shape, transposed";
      case Kind::update_all:
        return check_update_all(node);
      case Kind::gradients:
        return check_gradients(node);
      case Kind::call:
        return check_call(node);
    }
    return "unknown kind";
  }

  // By the rows of its kernel's operands.
  std::string check_call(const Node& node) const {
    const Signature signature = signature_of(node);
    if (node.operands.size() != signature.operand_count) {
      return "expected " + std::to_string(signature.operand_count) + " operands";
    }
    backends::Request request = node.request;
    request.operand_count = 0;
    const std::vector<backends::OperandRow> rows = backends::operands_of(request);
    for (const std::size_t i : signature.kernel_operands) {
      const Node& value = i == Signature::kResult ? node : operand(node, i);
      if (value.element != rows[request.operand_count].element) {
        return "operand " + std::to_string(request.operand_count) + " of its kernel holds something else";
      }
      request.operands[request.operand_count++] = {value.shape.rows, value.shape.columns};
    }
    return backends::shape_error(request);
  }

  // Scalars, then per parameter its gradient, itself and its slots.
  std::string check_update_all(const Node& node) const {
    if (node.operands.empty() || operand(node, 0).element != Element::scalars) return "expected scalars first";
    const Node* gradient = &operand(node, 0);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      if (!operand(node, i).is_state()) {
        gradient = &operand(node, i);
        continue;
      }
      if (shape(node, i) != gradient->shape) return "a gradient of another shape than its parameter";
      const bool given = gradient->kind == Kind::input && gradient->role == Role::gradient;
      if (given && operand(node, i).parameter != gradient->parameter) return "a gradient of another parameter";
    }
    return "";
  }

  std::string check_gradients(const Node& node) const {
    constexpr auto kLast = static_cast<std::size_t>(catalogue::LayerPart::shift);
    if (node.operands.empty() || node.operands.size() > kLast + 1) return "expected the gradients of one layer";
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (operand(node, i).kind == Kind::input) return "expected a computed gradient";
    }
    return "";
  }

  // What is overwritten must not be read later; before planning that holds for state only.
  std::string hazard() const {
    const std::vector<NodeId>& order = graph_.order();
    std::vector<NodeId> last_reader(graph_.id_count());
    for (const NodeId id : order) {
      for (const NodeId operand : graph_[id].operands) last_reader[operand] = id;
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      for (const std::size_t i : written_operands(graph_, order[at])) {
        const NodeId written = graph_[order[at]].operands[i];
        const Node& node = graph_[written];
        if (node.kind == Kind::input ? !node.is_state() : node.kind == Kind::constant) {
          if (stage_ == Stage::rewriting) continue;
          return text_of(graph_, order[at]) + ": overwrites %" + std::to_string(written) + ", which is given";
        }
        if (stage_ == Stage::rewriting && !node.is_state()) continue;
        if (graph_.is_output(written) || last_reader[written] != order[at]) {
          return text_of(graph_, order[at]) + ": overwrites %" + std::to_string(written) + ", which is read later";
        }
        const std::vector<NodeId>& operands = graph_[order[at]].operands;
        if (std::count(operands.begin(), operands.end(), written) != 1) {
          return text_of(graph_, order[at]) + ": overwrites %" + std::to_string(written) + ", which it reads too";
        }
      }
    }
    return "";
  }

  const Graph& graph_;
  Stage stage_;
  std::vector<bool> seen_;  // by id
};

}  // namespace

std::string graph_error(const Graph& graph, Stage stage) { return Verifier(graph, stage).run(); }

}  // namespace gdbench::strategies::graph
