#include "implementations/strategies/graph/ir/emitter.h"

#include <vector>

namespace gdbench::strategies::graph {

NodeId NodeEmitter::emit(ops::Op op, const ops::Attributes& attributes, std::span<const NodeId> operands,
                         const ops::Hint& /*hint*/) {
  std::vector<Shape> shapes;
  for (const NodeId operand : operands) shapes.push_back(graph_[operand].shape);
  Node node;
  node.shape = ops::result_shape(op, attributes, shapes);
  node.request = ops::request_of(op, dtype_, attributes, shapes);
  node.phase = phase_;
  node.about.layers = layers_;
  node.about.use = op == ops::Op::update ? GDBENCH_UPDATES_PARAMETERS : GDBENCH_READS_PARAMETERS;
  node.element = op == ops::Op::loss ? Element::loss : Element::real;
  node.operands.assign(operands.begin(), operands.end());
  for (const NodeId operand : operands) {
    if (graph_[operand].kind != Kind::input || graph_[operand].role != Role::parameter) continue;
    node.about.parameters = Range::of(static_cast<std::int64_t>(graph_[operand].parameter));
  }
  // The second operand of a scaling is not read.
  if (op == ops::Op::combine && attributes.beta == 0) node.operands.resize(1);
  return graph_.add(std::move(node));
}

}  // namespace gdbench::strategies::graph
