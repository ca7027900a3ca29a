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
  node.element = op == ops::Op::loss ? Element::loss : Element::real;
  node.operands.assign(operands.begin(), operands.end());
  // The second operand of a scaling is not read.
  if (op == ops::Op::combine && attributes.beta == 0) node.operands.resize(1);
  return graph_.add(std::move(node));
}

}  // namespace gdbench::strategies::graph
